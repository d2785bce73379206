//! The graph: six opcodes, nodes in program order, users, names.
