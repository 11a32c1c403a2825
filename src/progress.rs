//! Progress for people: bars where there is a terminal, lines where there is none. Always on stderr.
