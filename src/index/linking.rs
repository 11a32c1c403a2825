//! Stage: linking.
