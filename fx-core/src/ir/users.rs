//! [`Users`]: which nodes read a node, in the order of first use, and how often each does.
//!
//! Invariant: a user is listed once, with how often it reads the node, which is never zero. Adding and removing take
//! constant time however many there are: a parameter can have a million users.

use std::collections::HashMap;

use smallvec::SmallVec;

use super::node::NodeId;

/// Beyond this many users an index is kept.
const FEW: usize = 32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Use {
    user: NodeId,
    times: u32,
}

#[derive(Debug, Clone)]
pub(super) enum Users {
    Few(SmallVec<[Use; 2]>),
    Many(Box<Many>),
}

/// A list with holes, where `times` is 0, and an index into it. There are no holes at its end or from `start` on, so
/// that taking the first or the last user again and again takes linear time.
#[derive(Debug, Clone, Default)]
pub(super) struct Many {
    uses: Vec<Use>,
    /// Everything before is a hole.
    start: usize,
    positions: HashMap<NodeId, u32>,
}

impl Default for Users {
    fn default() -> Self {
        Self::Few(SmallVec::new())
    }
}

impl Users {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Few(uses) => uses.len(),
            Self::Many(many) => many.positions.len(),
        }
    }

    /// Every user once, in the order of first use.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = NodeId> + Clone {
        let uses: &[Use] = match self {
            Self::Few(uses) => uses,
            Self::Many(many) => &many.uses[many.start..],
        };
        uses.iter().filter(|one| one.times > 0).map(|one| one.user)
    }

    /// How often `user` reads the node.
    pub(super) fn times(&self, user: NodeId) -> u32 {
        match self {
            Self::Few(uses) => uses.iter().find(|one| one.user == user).map_or(0, |one| one.times),
            Self::Many(many) => many.positions.get(&user).map_or(0, |&position| many.uses[position as usize].times),
        }
    }

    /// `user` reads the node that many times more.
    pub(super) fn add(&mut self, user: NodeId, times: u32) {
        match self {
            Self::Few(uses) => match uses.iter().rposition(|one| one.user == user) {
                Some(position) => uses[position].times += times,
                None if uses.len() < FEW => uses.push(Use { user, times }),
                None => {
                    let uses = std::mem::take(uses).into_vec();
                    let mut many = Box::new(Many { uses, start: 0, positions: HashMap::new() });
                    many.close_holes();
                    many.add(user, times);
                    *self = Self::Many(many);
                }
            },
            Self::Many(many) => many.add(user, times),
        }
    }

    /// `user` reads the node that many times less.
    pub(super) fn remove(&mut self, user: NodeId, times: u32) {
        match self {
            Self::Few(uses) => {
                if let Some(position) = uses.iter().rposition(|one| one.user == user) {
                    uses[position].times -= times;
                    if uses[position].times == 0 {
                        uses.remove(position);
                    }
                }
            }
            Self::Many(many) => many.remove(user, times),
        }
    }
}

impl Many {
    fn add(&mut self, user: NodeId, times: u32) {
        let end = self.uses.len() as u32;
        let position = *self.positions.entry(user).or_insert(end);
        if position == end {
            self.uses.push(Use { user, times });
        } else {
            self.uses[position as usize].times += times;
        }
    }

    fn remove(&mut self, user: NodeId, times: u32) {
        let Some(&position) = self.positions.get(&user) else { return };
        let one = &mut self.uses[position as usize];
        one.times -= times;
        if one.times == 0 {
            self.positions.remove(&user);
            while self.uses.last().is_some_and(|one| one.times == 0) {
                self.uses.pop();
            }
            self.start = self.start.min(self.uses.len());
            while self.uses.get(self.start).is_some_and(|one| one.times == 0) {
                self.start += 1;
            }
            if self.uses.len() > FEW && self.uses.len() > 2 * self.positions.len() {
                self.close_holes();
            }
        }
    }

    fn close_holes(&mut self) {
        self.start = 0;
        self.uses.retain(|one| one.times > 0);
        self.positions = self.uses.iter().zip(0..).map(|(one, position)| (one.user, position)).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity::EntityRef;

    fn list(users: &Users) -> Vec<(usize, u32)> {
        assert_eq!(users.iter().count(), users.len());
        users.iter().map(|user| (user.index(), users.times(user))).collect()
    }

    #[test]
    fn a_user_is_listed_once_where_it_first_used_the_node() {
        let mut users = Users::default();
        let [a, b, c] = [0, 1, 2].map(NodeId::new);
        users.add(a, 1);
        users.add(b, 2);
        users.add(a, 1);
        assert_eq!(list(&users), [(0, 2), (1, 2)]);
        users.remove(a, 1);
        assert_eq!(list(&users), [(0, 1), (1, 2)]);
        users.remove(a, 1);
        users.add(c, 1);
        users.add(a, 1);
        assert_eq!(list(&users), [(1, 2), (2, 1), (0, 1)]);
        assert_eq!(users.times(NodeId::new(9)), 0);
    }

    #[test]
    fn many_users_keep_their_order() {
        let mut users = Users::default();
        let mut expected: Vec<(usize, u32)> = Vec::new();
        for index in 0..1_000 {
            users.add(NodeId::new(index), 1);
            users.add(NodeId::new(index), 1);
            expected.push((index, 2));
        }
        assert_eq!(list(&users), expected);
        for index in (0..1_000).filter(|index| index % 7 != 0) {
            users.remove(NodeId::new(index), 2);
        }
        expected.retain(|(index, _)| index % 7 == 0);
        assert_eq!(list(&users), expected);
        users.add(NodeId::new(1), 1);
        expected.push((1, 1));
        assert_eq!(list(&users), expected);
    }

    #[test]
    fn the_first_and_the_last_of_many_users_are_at_hand() {
        for from_front in [true, false] {
            let mut users = Users::default();
            (0..200).for_each(|index| users.add(NodeId::new(index), 1));
            for left in (0..200).rev() {
                let next = if from_front { users.iter().next() } else { users.iter().next_back() };
                users.remove(next.unwrap(), 1);
                assert_eq!(list(&users).len(), left);
                if let Users::Many(many) = &users {
                    let ends = [many.uses.get(many.start), many.uses.last()];
                    assert!(ends.into_iter().flatten().all(|one| one.times > 0));
                }
            }
            users.add(NodeId::new(7), 3);
            assert_eq!(list(&users), [(7, 3)]);
        }
    }

    #[test]
    fn two_users_need_no_allocation() {
        assert!(size_of::<Users>() <= 32, "{}", size_of::<Users>());
    }
}
