//! In: requests with priorities, and changes of mind. Out: the most urgent one; and who is being worked on.
//! Never knows: threads, jobs. It lies on the main thread.
//!
//! A sorted list whose entries may be out of date: a change adds an entry, and the old one is skipped when its turn comes. What was added
//! is sorted in when something is taken, so once a tick: about 25 ns for each new priority, and next to nothing for those that stay.

use hecs::Entity;
use std::{
    cmp::Reverse,
    collections::{HashMap, hash_map::Entry},
    hash::{BuildHasherDefault, Hasher},
};

/// The smallest priority comes first, then who asked first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub priority: u64,
    pub order: u64,
}

/// What became of a request.
pub(crate) enum State<K, R> {
    Waiting(Place, K),
    Running(R),
}

/// Requests by entity; R is the work of one that was taken.
pub(crate) struct Queue<K, R> {
    states: HashMap<Entity, State<K, R>, BuildHasherDefault<EntityHasher>>,
    /// The most urgent last.
    sorted: Vec<(Place, Entity)>,
    fresh: Vec<(Place, Entity)>,
    waiting: usize,
}

/// Entries out of date that may stand beside as many as are right, before the list is made anew.
const STALE_MIN: usize = 64;

impl<K: Copy, R> Queue<K, R> {
    pub fn new() -> Queue<K, R> {
        Queue { states: HashMap::default(), sorted: Vec::new(), fresh: Vec::new(), waiting: 0 }
    }

    /// How many wait.
    pub fn waiting(&self) -> usize {
        self.waiting
    }

    pub fn get(&self, entity: Entity) -> Option<&State<K, R>> {
        self.states.get(&entity)
    }

    /// Adds a request and returns what it replaces.
    pub fn push(&mut self, entity: Entity, place: Place, key: K) -> Option<State<K, R>> {
        let replaced = self.states.insert(entity, State::Waiting(place, key));
        self.waiting += usize::from(!matches!(replaced, Some(State::Waiting(..))));
        self.add(place, entity);
        replaced
    }

    pub fn reprioritise(&mut self, entity: Entity, priority: u64) {
        if let Some(State::Waiting(place, _)) = self.states.get_mut(&entity)
            && place.priority != priority
        {
            place.priority = priority;
            let place = *place;
            self.add(place, entity);
        }
    }

    /// Forgets a request, whatever became of it.
    pub fn remove(&mut self, entity: Entity) -> Option<State<K, R>> {
        let state = self.states.remove(&entity);
        self.waiting -= usize::from(matches!(state, Some(State::Waiting(..))));
        state
    }

    /// Takes the most urgent request and begins its work; false when none waits.
    pub fn begin(&mut self, work: impl FnOnce(Entity, Place, K) -> R) -> bool {
        self.sort();
        while let Some((place, entity)) = self.sorted.pop() {
            if let Some(state) = self.states.get_mut(&entity)
                && let State::Waiting(current, key) = *state
                && current == place
            {
                *state = State::Running(work(entity, place, key));
                self.waiting -= 1;
                return true;
            }
        }
        false
    }

    /// Forgets a request whose work is this; false if it is another's by now.
    pub fn end(&mut self, entity: Entity, is_this: impl FnOnce(&R) -> bool) -> bool {
        let Entry::Occupied(entry) = self.states.entry(entity) else { return false };
        let ended = matches!(entry.get(), State::Running(work) if is_this(work));
        if ended {
            entry.remove();
        }
        ended
    }

    fn add(&mut self, place: Place, entity: Entity) {
        self.fresh.push((place, entity));
        if self.sorted.len() + self.fresh.len() > 2 * self.waiting + STALE_MIN {
            self.sorted.clear();
            self.fresh.clear();
            let places = self.states.iter().filter_map(|(entity, state)| Some((state.place()?, *entity)));
            self.fresh.extend(places);
        }
    }

    fn sort(&mut self) {
        if !self.fresh.is_empty() {
            self.sorted.append(&mut self.fresh);
            // The stable sort finds what is sorted already and merges.
            self.sorted.sort_by_key(|entry| Reverse(entry.0));
        }
    }

    #[cfg(test)]
    fn entries(&self) -> usize {
        self.sorted.len() + self.fresh.len()
    }
}

impl<K, R> Queue<K, R> {
    /// What is being worked on.
    pub fn running(&self) -> impl Iterator<Item = &R> {
        self.states.values().filter_map(|state| if let State::Running(work) = state { Some(work) } else { None })
    }
}

impl<K, R> State<K, R> {
    fn place(&self) -> Option<Place> {
        if let State::Waiting(place, _) = self { Some(*place) } else { None }
    }
}

/// Multiplies by 2^64 over the golden ratio (Knuth, volume 3, 6.4): entities are small numbers in sequence, not chosen by an enemy.
#[derive(Default)]
pub(crate) struct EntityHasher(u64);

impl Hasher for EntityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        // The map takes its places from the low bits and its tags from the high ones: the rotation gives both their share.
        self.0 = (self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entities(count: usize) -> Vec<Entity> {
        let mut world = hecs::World::new();
        (0..count).map(|_| world.spawn(())).collect()
    }

    fn place(priority: u64, order: u64) -> Place {
        Place { priority, order }
    }

    #[test]
    fn what_is_taken_is_in_order_whatever_was_changed() {
        let entities = entities(100);
        let mut queue = Queue::new();
        for (order, entity) in entities.iter().enumerate() {
            queue.push(*entity, place(0, order as u64), order as u64);
        }
        for (order, entity) in entities.iter().enumerate() {
            queue.reprioritise(*entity, 7);
            queue.reprioritise(*entity, (order as u64 * 37) % 10);
        }
        entities[..50].iter().for_each(|entity| assert!(queue.remove(*entity).is_some()));
        let mut taken = Vec::new();
        while queue.begin(|entity, place, key: u64| {
            assert_eq!(entities[key as usize], entity);
            taken.push((place.priority, key));
        }) {}
        let mut wanted: Vec<_> = (50..100u64).map(|order| ((order * 37) % 10, order)).collect();
        wanted.sort_unstable();
        assert_eq!(taken, wanted);
    }

    #[test]
    fn what_is_begun_ends_once_and_only_as_itself() {
        let entities = entities(2);
        let mut queue = Queue::new();
        queue.push(entities[0], place(1, 0), 'a');
        assert!(queue.begin(|_, _, key| key));
        assert!(!queue.begin(|_, _, key| key));
        queue.push(entities[0], place(1, 1), 'b');
        assert!(!queue.end(entities[0], |work| *work == 'a'), "it waits anew");
        assert!(queue.begin(|_, _, key| key));
        assert!(!queue.end(entities[0], |work| *work == 'a'));
        assert!(queue.end(entities[0], |work| *work == 'b'));
        assert!(!queue.end(entities[0], |_| true));
        assert_eq!((queue.waiting(), queue.running().count()), (0, 0));
    }

    #[test]
    fn the_list_stays_bounded_under_new_priorities() {
        let entities = entities(500);
        let mut queue = Queue::new();
        for tick in 0..200u64 {
            for (order, entity) in entities.iter().enumerate() {
                match tick {
                    0 => drop(queue.push(*entity, place(0, order as u64), ())),
                    _ => queue.reprioritise(*entity, tick * 500 + order as u64),
                }
            }
            assert!(queue.entries() <= 2 * queue.waiting() + STALE_MIN);
        }
        assert!(queue.begin(|entity, _, ()| assert_eq!(entity, entities[0])));
    }
}
