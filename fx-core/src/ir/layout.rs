//! [`Layout`]: program order, a doubly linked list in which the order of two nodes is known in constant time.
//!
//! Each linked node has a label, and labels rise along the list. A node that is put between two others gets a label
//! between theirs; when there is none left, the smallest neighbourhood that is sparse enough is labelled evenly anew
//! (Bender and others, "Two simplified algorithms for maintaining order in a list", 2002). So any sequence of n
//! insertions, wherever they are, takes O(n log n) time.
//!
//! Invariant: following `next` from `first` reaches every linked node once and ends at `last`; `prev` is its mirror;
//! labels strictly rise, and a node is linked if and only if its label is not 0. A node that was taken out keeps its
//! links: they lead to nodes that are linked or were taken out later, so that whoever stood there finds the way on.

use super::node::NodeId;
use crate::entity::SecondaryMap;

/// Distance of labels in a list that only ever grew at its ends.
const STRIDE: u64 = 1 << 16;
const MIDDLE: u64 = 1 << 62;
const LIMIT: u64 = 1 << 63;
/// Neighbourhoods of more labels than two to this are not looked at; everything is labelled anew instead.
const WIDEST: u32 = 48;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) prev: Option<NodeId>,
    pub(super) next: Option<NodeId>,
    pub(super) label: u64,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Layout {
    links: SecondaryMap<NodeId, Link>,
    first: Option<NodeId>,
    last: Option<NodeId>,
    len: usize,
}

impl Layout {
    pub(super) fn first(&self) -> Option<NodeId> {
        self.first
    }

    pub(super) fn last(&self) -> Option<NodeId> {
        self.last
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn next(&self, id: NodeId) -> Option<NodeId> {
        self.links[id].next
    }

    pub(super) fn prev(&self, id: NodeId) -> Option<NodeId> {
        self.links[id].prev
    }

    /// 0 if the node is not linked; otherwise larger than the label of every node before it.
    pub(super) fn label(&self, id: NodeId) -> u64 {
        self.links[id].label
    }

    /// Whether the node is linked.
    pub(super) fn contains(&self, id: NodeId) -> bool {
        self.label(id) != 0
    }

    /// Puts a node that is not linked before `at`, or at the end.
    pub(super) fn insert(&mut self, id: NodeId, at: Option<NodeId>) {
        debug_assert_eq!(self.label(id), 0, "a node is linked once");
        debug_assert!(at.is_none_or(|at| self.label(at) != 0), "nodes are put before linked nodes");
        let prev = match at {
            Some(at) => self.links[at].prev,
            None => self.last,
        };
        let label = self.label_between(prev, at);
        self.links[id] = Link { prev, next: at, label };
        match prev {
            Some(prev) => self.links[prev].next = Some(id),
            None => self.first = Some(id),
        }
        match at {
            Some(at) => self.links[at].prev = Some(id),
            None => self.last = Some(id),
        }
        self.len += 1;
    }

    /// Takes a linked node out.
    pub(super) fn remove(&mut self, id: NodeId) {
        debug_assert_ne!(self.label(id), 0, "only linked nodes can be taken out");
        let link = &mut self.links[id];
        link.label = 0;
        let Link { prev, next, .. } = *link;
        match prev {
            Some(prev) => self.links[prev].next = next,
            None => self.first = next,
        }
        match next {
            Some(next) => self.links[next].prev = prev,
            None => self.last = prev,
        }
        self.len -= 1;
    }

    /// Links the nodes in this order; they must be those that are linked.
    pub(super) fn reorder(&mut self, order: &[NodeId]) {
        debug_assert_eq!(order.len(), self.len, "every linked node has a place");
        let mut prev = None;
        for (i, &id) in order.iter().enumerate() {
            // Not 0, so that the nodes count as linked until they are labelled.
            self.links[id] = Link { prev, next: order.get(i + 1).copied(), label: 1 };
            prev = Some(id);
        }
        (self.first, self.last) = (order.first().copied(), prev);
        self.label_all();
    }

    fn label_between(&mut self, prev: Option<NodeId>, next: Option<NodeId>) -> u64 {
        if prev.is_none() && next.is_none() {
            return MIDDLE;
        }
        loop {
            let low = prev.map_or(0, |prev| self.label(prev));
            let high = next.map_or(LIMIT, |next| self.label(next));
            let half = (high - low) / 2;
            if half > 0 {
                // At the ends, room is left for more of the same.
                return if next.is_none() {
                    low + half.min(STRIDE)
                } else if prev.is_none() {
                    high - half.min(STRIDE)
                } else {
                    low + half
                };
            }
            match prev {
                Some(prev) => self.make_room_after(prev),
                None => self.label_all(),
            }
        }
    }

    /// Labels the neighbourhood of a node evenly anew, so that at least one label is free after it.
    fn make_room_after(&mut self, at: NodeId) {
        let label = self.label(at);
        let (mut first, mut last, mut count) = (at, at, 1_u64);
        // How many nodes may share the labels for them to count as sparse: 1.5 to the number of bits. Less than twice
        // as many for twice the labels, so wide neighbourhoods must be sparser, and at least two labels for each node.
        let mut sparse = 1.0;
        for bits in 1..=WIDEST {
            sparse *= 1.5;
            let low = label >> bits << bits;
            let high = low + ((1 << bits) - 1);
            if low == 0 {
                break;
            }
            while let Some(prev) = self.links[first].prev.filter(|&prev| self.label(prev) >= low) {
                first = prev;
                count += 1;
            }
            while let Some(next) = self.links[last].next.filter(|&next| self.label(next) <= high) {
                last = next;
                count += 1;
            }
            if count as f64 <= sparse {
                self.label_from(first, count, low, (1 << bits) / count);
                return;
            }
        }
        self.label_all();
    }

    fn label_all(&mut self) {
        if let Some(first) = self.first {
            let count = self.len as u64;
            self.label_from(first, count, MIDDLE - count / 2 * STRIDE, STRIDE);
        }
    }

    fn label_from(&mut self, first: NodeId, count: u64, low: u64, stride: u64) {
        let mut at = Some(first);
        for i in 0..count {
            let Some(id) = at else { break };
            let link = &mut self.links[id];
            link.label = low + i * stride;
            at = link.next;
        }
    }

    /// For tests that need a broken list.
    #[cfg(test)]
    pub(super) fn link_mut(&mut self, id: NodeId) -> &mut Link {
        &mut self.links[id]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity::EntityRef;

    fn id(index: usize) -> NodeId {
        NodeId::new(index)
    }

    /// The list is `expected`, forward and backward, and labels rise.
    fn verify(layout: &Layout, expected: &[usize]) {
        assert_eq!(layout.len(), expected.len());
        let (mut at, mut before, mut label) = (layout.first(), None, 0);
        for &index in expected {
            assert_eq!(at, Some(id(index)));
            assert_eq!(layout.prev(id(index)), before);
            assert!(layout.label(id(index)) > label);
            (at, before, label) = (layout.next(id(index)), at, layout.label(id(index)));
        }
        assert_eq!((at, before), (None, layout.last()));
    }

    #[test]
    fn nodes_are_put_in_and_taken_out_anywhere() {
        let mut layout = Layout::default();
        verify(&layout, &[]);
        layout.insert(id(0), None);
        layout.insert(id(1), None);
        layout.insert(id(2), Some(id(1)));
        layout.insert(id(3), Some(id(0)));
        verify(&layout, &[3, 0, 2, 1]);
        layout.remove(id(3));
        layout.remove(id(2));
        verify(&layout, &[0, 1]);
        layout.remove(id(1));
        layout.remove(id(0));
        verify(&layout, &[]);
        layout.insert(id(2), None);
        verify(&layout, &[2]);
    }

    #[test]
    fn there_is_always_room_in_the_middle() {
        // Always right before one node, always right after one node.
        for before in [true, false] {
            let mut layout = Layout::default();
            layout.insert(id(0), None);
            layout.insert(id(1), None);
            let mut expected = vec![0, 1];
            let mut at = id(1);
            for index in 2..5_000 {
                layout.insert(id(index), Some(at));
                expected.insert(if before { expected.len() - 1 } else { 1 }, index);
                if !before {
                    at = id(index);
                }
            }
            verify(&layout, &expected);
        }
    }

    #[test]
    fn there_is_always_room_at_the_ends() {
        let mut layout = Layout::default();
        layout.insert(id(0), None);
        layout.links[id(0)].label = 2;
        for index in 1..20 {
            layout.insert(id(index), layout.first());
        }
        let mut expected: Vec<usize> = (0..20).rev().collect();
        verify(&layout, &expected);
        layout.links[id(0)].label = LIMIT - 2;
        for index in 20..60 {
            layout.insert(id(index), None);
            expected.push(index);
        }
        verify(&layout, &expected);
    }
}
