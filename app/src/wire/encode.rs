//! Encodes data as JSON without names.

use serde::Serialize;
use serde::ser::{self, Serializer};
use serde_json::{Error, Map, Value};

pub fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Value, Error> {
    value.serialize(Encoder)
}

struct Encoder;

/// A list, or the fields of a struct. For a variant, its index comes first.
pub struct Items(Vec<Value>);

#[derive(Default)]
pub struct Entries {
    map: Map<String, Value>,
    key: String,
}

impl Items {
    fn of_variant(variant: u32, len: usize) -> Self {
        let mut items = Vec::with_capacity(len + 1);
        items.push(variant.into());
        Self(items)
    }

    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.0.push(encode(value)?);
        Ok(())
    }
}

macro_rules! scalars {
    ($($method:ident: $type:ty),+ $(,)?) => {
        $(fn $method(self, value: $type) -> Result<Value, Error> {
            Ok(value.into())
        })+
    };
}

impl Serializer for Encoder {
    type Ok = Value;
    type Error = Error;
    type SerializeSeq = Items;
    type SerializeTuple = Items;
    type SerializeTupleStruct = Items;
    type SerializeTupleVariant = Items;
    type SerializeMap = Entries;
    type SerializeStruct = Items;
    type SerializeStructVariant = Items;

    scalars! {
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_f32: f32,
        serialize_f64: f64, serialize_str: &str,
    }

    fn serialize_char(self, value: char) -> Result<Value, Error> {
        Ok(value.to_string().into())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<Value, Error> {
        Ok(value.into())
    }

    fn serialize_none(self) -> Result<Value, Error> {
        Ok(Value::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Value, Error> {
        encode(value)
    }

    fn serialize_unit(self) -> Result<Value, Error> {
        Ok(Value::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Value, Error> {
        Ok(Value::Null)
    }

    fn serialize_unit_variant(self, _: &'static str, variant: u32, _: &'static str) -> Result<Value, Error> {
        Ok(variant.into())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<Value, Error> {
        encode(value)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        variant: u32,
        _: &'static str,
        value: &T,
    ) -> Result<Value, Error> {
        Ok(Value::Array(vec![variant.into(), encode(value)?]))
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Items, Error> {
        Ok(Items(Vec::with_capacity(len.unwrap_or(0))))
    }

    fn serialize_tuple(self, len: usize) -> Result<Items, Error> {
        Ok(Items(Vec::with_capacity(len)))
    }

    fn serialize_tuple_struct(self, _: &'static str, len: usize) -> Result<Items, Error> {
        Ok(Items(Vec::with_capacity(len)))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        variant: u32,
        _: &'static str,
        len: usize,
    ) -> Result<Items, Error> {
        Ok(Items::of_variant(variant, len))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Entries, Error> {
        Ok(Entries::default())
    }

    fn serialize_struct(self, _: &'static str, len: usize) -> Result<Items, Error> {
        Ok(Items(Vec::with_capacity(len)))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        variant: u32,
        _: &'static str,
        len: usize,
    ) -> Result<Items, Error> {
        Ok(Items::of_variant(variant, len))
    }
}

macro_rules! items {
    ($($trait:ident, $method:ident);+ $(;)?) => {
        $(impl ser::$trait for Items {
            type Ok = Value;
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.push(value)
            }

            fn end(self) -> Result<Value, Error> {
                Ok(Value::Array(self.0))
            }
        })+
    };
}

items! {
    SerializeSeq, serialize_element;
    SerializeTuple, serialize_element;
    SerializeTupleStruct, serialize_field;
    SerializeTupleVariant, serialize_field;
}

macro_rules! fields {
    ($($trait:ident),+) => {
        $(impl ser::$trait for Items {
            type Ok = Value;
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, _: &'static str, value: &T) -> Result<(), Error> {
                self.push(value)
            }

            /// What is left out keeps its place.
            fn skip_field(&mut self, _: &'static str) -> Result<(), Error> {
                self.0.push(Value::Null);
                Ok(())
            }

            fn end(self) -> Result<Value, Error> {
                Ok(Value::Array(self.0))
            }
        })+
    };
}

fields!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for Entries {
    type Ok = Value;
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        match encode(key)? {
            Value::String(key) => self.key = key,
            other => self.key = other.to_string(),
        }
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.map.insert(std::mem::take(&mut self.key), encode(value)?);
        Ok(())
    }

    fn end(self) -> Result<Value, Error> {
        Ok(Value::Object(self.map))
    }
}
