/// Placeholder.
enum Nothing {}
