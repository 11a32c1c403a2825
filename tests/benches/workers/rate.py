"""What a timed log of scripts/services/scripted_model.py says: python rate.py CALLS WORKERS RATE_OF_ONE.

Prints the rate of one worker, or where that is 0 this run's share for each, then a row of the table.
"""

import sys

calls = [line.split() for line in open(sys.argv[1], encoding="utf-8")]
workers, one = int(sys.argv[2]), float(sys.argv[3])
times = sorted(float(at) for task, _, at, _ in calls if task == "extract_graph")
seconds = times[-1] - times[0] + 0.2
rate = len(times) / seconds
one = one or rate / workers
every = sorted((float(at), int(tokens)) for _, _, at, tokens in calls)
most = max(sum(tokens for at, tokens in every if start <= at < start + 60) for start, _ in every)
print(one)
print(f"| {workers} | {len(times)} | {seconds:.1f} | {rate:.1f} | {rate / (one * workers):.2f} | {most} |")
