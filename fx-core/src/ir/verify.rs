//! The numbered rules of a correct graph.
