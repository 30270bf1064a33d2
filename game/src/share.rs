//! In: world, seed, settings, place and view. Out: one short text that says all of it exactly; and the other way, or one message.
//! Never knows: who shares it, or how a world is made.
//!
//! The text is "tr-" and base64url (RFC 4648, section 5, without padding) of: version (1 byte), length of the body (2 bytes), body, checksum of all of
//! that (4 bytes: FNV-1a of 64 bits, its halves xored). Numbers are little-endian; "varint" is LEB128, signed ones in zigzag. The body: world's
//! name, seed (signed varint), mode (1 byte: 0 flies, 1 walks), whole metres (3 signed varints), offsets (3 f32), yaw and pitch in radians (2 f32); then each setting that
//! is not at its default: section (0 general, 1 the world's, 2 the player's), name, kind (0 to 4), value. Texts have their length (varint) before them.

mod bytes;

use crate::{
    config::{Config, GENERAL, find_world},
    error::GameError,
    player::{Mode, settings::PLAYER},
    session,
    settings::{Setting, Value, Values},
    worlds::World,
};
use bytes::{Reader, Writer, decode, encode};
use glam::Vec3;
use terrane_base::{Place, Seed, WORLD_LIMIT_M};
use terrane_render::Camera;

/// What every text begins with.
const PREFIX: &str = "tr-";
/// Version that is written; older ones are read.
const VERSION: u8 = 1;
/// Bytes before and after the body.
const HEAD: usize = 3;
const TAIL: usize = 4;
/// Settings of [`GENERAL`] that a picture or a walk depends on; the others are a machine's own.
pub const SHARED_GENERAL: [&str; 2] = ["view_distance_m", "shadow_resolution"];
/// Looking straight up is 1.57.
const PITCH_LIMIT_RAD: f32 = 1.6;

/// All that a share text says.
#[derive(Clone, Debug, PartialEq)]
pub struct Share {
    /// The world.
    pub world: &'static str,
    /// Its seed.
    pub seed: Seed,
    /// Where one starts.
    pub start: Start,
    /// What is set, beyond the defaults of each section.
    pub settings: Vec<(Section, &'static str, Value)>,
}

/// A place, a view, a way to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Start {
    /// The eye.
    pub place: Place,
    /// Clockwise from north, radians.
    pub yaw_rad: f32,
    /// Upward, radians.
    pub pitch_rad: f32,
    /// Flying or on foot.
    pub mode: Mode,
}

/// Whose a setting is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// Everybody's.
    General,
    /// The world's.
    World,
    /// The player's.
    Player,
}

const SECTIONS: [Section; 3] = [Section::General, Section::World, Section::Player];

impl Start {
    /// The camera there.
    pub fn camera(&self) -> Camera {
        Camera { yaw_rad: self.yaw_rad, pitch_rad: self.pitch_rad, ..session::camera(self.place, 0.0, 0.0) }
    }
}

impl Share {
    /// What is seen and set now.
    pub fn of(config: &Config, camera: &Camera, mode: Mode) -> Share {
        let mut settings = Vec::new();
        let general = [Value::Number(f64::from(config.view_distance_m)), Value::Whole(i64::from(config.shadow_resolution))];
        for (name, value) in SHARED_GENERAL.into_iter().zip(general) {
            // The view distance's default is the world's own.
            let default = if name == "view_distance_m" { Value::Number(f64::from(config.world.view_distance_m)) } else { default_of(GENERAL, name) };
            if value != default {
                settings.push((Section::General, name, value));
            }
        }
        for (section, table, values) in [(Section::World, config.world.settings, &config.values), (Section::Player, PLAYER, &config.player)] {
            for (setting, (name, value)) in table.iter().zip(values.iter()) {
                if *value != setting.default() {
                    settings.push((section, name, value.clone()));
                }
            }
        }
        let start = Start { place: camera.place, yaw_rad: camera.yaw_rad, pitch_rad: camera.pitch_rad, mode };
        Share { world: config.world.name, seed: config.seed, start, settings }
    }

    /// The text.
    pub fn text(&self) -> String {
        let mut body = Writer::default();
        body.text(self.world);
        body.signed(self.seed.0);
        let Start { place, yaw_rad, pitch_rad, mode } = self.start;
        body.byte(u8::from(mode == Mode::Walk));
        place.cell_m.into_iter().for_each(|metres| body.signed(metres));
        [place.offset_m.x, place.offset_m.y, place.offset_m.z, yaw_rad, pitch_rad].into_iter().for_each(|number| body.f32(number));
        for (section, name, value) in &self.settings {
            body.byte(*section as u8);
            body.text(name);
            write_value(&mut body, value);
        }
        let body = body.bytes;
        let mut all = vec![VERSION];
        // At most 64 settings of 600 bytes: far below 2^16.
        all.extend_from_slice(&(body.len() as u16).to_le_bytes());
        all.extend_from_slice(&body);
        all.extend_from_slice(&checksum(&all).to_le_bytes());
        format!("{PREFIX}{}", encode(&all))
    }

    /// Reads a text; the message says what is wrong with it.
    pub fn parse(text: &str) -> Result<Share, GameError> {
        read(text.trim()).map_err(|message| GameError::usage(format!("--share: {message}"), "copy the whole text, from 'tr-' to its end"))
    }

    /// The values of a section, defaults for the rest.
    pub fn values(&self, section: Section, table: &[Setting]) -> Result<Values, GameError> {
        let mut values = Values::defaults(table);
        for (_, name, value) in self.settings.iter().filter(|setting| setting.0 == section) {
            if let Some(setting) = table.iter().find(|setting| setting.name == *name) {
                values.set(setting, value.clone()).map_err(|message| GameError::usage(format!("--share: {message}"), ""))?;
            }
        }
        Ok(values)
    }
}

fn default_of(table: &[Setting], name: &str) -> Value {
    table.iter().find(|setting| setting.name == name).map_or(Value::Switch(false), Setting::default)
}

fn read(text: &str) -> Result<Share, String> {
    let code = text.strip_prefix(PREFIX).ok_or_else(|| format!("a share text begins with '{PREFIX}', this one with '{}'", head(text)))?;
    let (bytes, whole) = decode(code)?;
    match bytes.first().copied() {
        None => return Err(format!("nothing comes after '{PREFIX}'")),
        Some(VERSION) => {}
        Some(version) => return Err(format!("it is of version {version}, which a newer terrane made; this one reads version {VERSION}")),
    }
    let cut = |missing: String| format!("it is cut off: {missing}");
    let length = bytes.get(1..HEAD).ok_or_else(|| cut("not even its length is there".to_owned()))?;
    let expected = HEAD + usize::from(u16::from_le_bytes([length[0], length[1]])) + TAIL;
    if bytes.len() < expected || !whole {
        return Err(cut(format!("{} of {expected} bytes are there", bytes.len())));
    }
    if bytes.len() > expected {
        return Err(format!("it is longer than it says: {} bytes instead of {expected}; something was added at its end", bytes.len()));
    }
    let (content, sum) = bytes.split_at(expected - TAIL);
    if checksum(content).to_le_bytes() != sum {
        return Err("its checksum is wrong: a character of it was changed".to_owned());
    }
    read_body(&mut Reader::new(&content[HEAD..]))
}

fn read_body(body: &mut Reader) -> Result<Share, String> {
    let world = find_world(body.text()?).map_err(|error| error.to_string())?;
    let seed = Seed(body.signed()?);
    let mode = match body.byte()? {
        0 => Mode::Fly,
        1 => Mode::Walk,
        other => return Err(format!("its mode is {other}; allowed is 0 (flies) or 1 (walks)")),
    };
    let start = read_start(body, mode)?;
    let mut settings = Vec::new();
    while !body.is_empty() {
        let section = body.byte()?;
        let section = *SECTIONS.get(usize::from(section)).ok_or_else(|| format!("its section {section} is unknown; allowed is 0 to 2"))?;
        settings.push(read_setting(body, world, section)?);
    }
    Ok(Share { world: world.name, seed, start, settings })
}

fn read_start(body: &mut Reader, mode: Mode) -> Result<Start, String> {
    let cell_m = [body.signed()?, body.signed()?, body.signed()?];
    let offset_m = Vec3::new(body.f32()?, body.f32()?, body.f32()?);
    let (yaw_rad, pitch_rad) = (body.f32()?, body.f32()?);
    if let Some(metres) = cell_m.iter().find(|metres| !(-WORLD_LIMIT_M..=WORLD_LIMIT_M).contains(*metres)) {
        return Err(format!("its place is at {metres} m, out of the world: it ends {WORLD_LIMIT_M} m from its middle"));
    }
    if !offset_m.to_array().iter().all(|offset| (0.0..1.0).contains(offset)) {
        return Err(format!("its offsets are {offset_m}; allowed is from 0 to below 1 m"));
    }
    if !yaw_rad.is_finite() || !(-PITCH_LIMIT_RAD..=PITCH_LIMIT_RAD).contains(&pitch_rad) {
        return Err(format!("its view is {yaw_rad}, {pitch_rad} radians; allowed is any yaw, and a pitch from -{PITCH_LIMIT_RAD} to {PITCH_LIMIT_RAD}"));
    }
    Ok(Start { place: Place { cell_m, offset_m }, yaw_rad, pitch_rad, mode })
}

fn read_setting(body: &mut Reader, world: &World, section: Section) -> Result<(Section, &'static str, Value), String> {
    let (table, of): (&'static [Setting], _) = match section {
        Section::General => (GENERAL, ""),
        Section::World => (find_world(world.name).map_err(|error| error.to_string())?.settings, world.name),
        Section::Player => (PLAYER, "player"),
    };
    let name = body.text()?;
    let known = table.iter().find(|setting| setting.name == name).filter(|_| section != Section::General || SHARED_GENERAL.contains(&name));
    let setting = known.ok_or_else(|| format!("it sets '{name}' of [{of}], which this version does not know"))?;
    let value = read_value(body)?;
    setting.check(&value)?;
    Ok((section, setting.name, value))
}

fn write_value(body: &mut Writer, value: &Value) {
    match value {
        Value::Number(number) => {
            body.byte(0);
            body.bytes.extend_from_slice(&number.to_le_bytes());
        }
        Value::Whole(whole) => {
            body.byte(1);
            body.signed(*whole);
        }
        Value::Switch(switch) => {
            body.byte(2);
            body.byte(u8::from(*switch));
        }
        Value::Curve(points) => {
            body.byte(3);
            body.unsigned(points.len() as u64);
            points.iter().flatten().for_each(|number| body.f32(*number));
        }
        Value::Text(text) => {
            body.byte(4);
            body.text(text);
        }
    }
}

fn read_value(body: &mut Reader) -> Result<Value, String> {
    Ok(match body.byte()? {
        0 => Value::Number(f64::from_le_bytes(body.take()?)),
        1 => Value::Whole(body.signed()?),
        2 => Value::Switch(body.byte()? != 0),
        3 => {
            let count = body.unsigned()?;
            let point = |_| Ok([body.f32()?, body.f32()?]);
            Value::Curve((0..count).map(point).collect::<Result<_, String>>()?)
        }
        4 => Value::Text(body.text()?.to_owned()),
        kind => return Err(format!("a value is of kind {kind}; allowed is 0 to 4")),
    })
}

fn checksum(bytes: &[u8]) -> u32 {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3));
    (hash >> 32) as u32 ^ hash as u32
}

/// The first characters of a text, for messages.
fn head(text: &str) -> String {
    text.chars().take(8).collect()
}
