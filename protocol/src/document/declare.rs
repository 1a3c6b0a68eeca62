//! The macro with which document types are declared.
//!
//! | kind | reads as | on the wire |
//! | --- | --- | --- |
//! | `text`, `count`, `number`, `flag` | `Option` of `&str`, `u64`, `f64`, `bool` | a value of that kind |
//! | `json` | `Option<&Value>` | anything but `null` |
//! | `map` | `Option<&Map>` | an object of anything |
//! | `object[T]` | `Option<&T>` | an object |
//! | `list[T]`, `texts` | an iterator of `&T`, of `&str` | a list; nothing where it is not |

/// Declares document types: for each field its name here, its kind and its name on the wire. `needs` names what a
/// document must have to be read at all; an answer without it comes from something that is not MANTYX.
macro_rules! document {
    (
        $(#[$meta:meta])*
        $name:ident $(needs [$($needed:literal),+])? {
            $( $(#[$field_meta:meta])* $field:ident: $kind:ident $([$item:ty])? = $key:literal, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Default, PartialEq, ::ref_cast::RefCast, ::serde::Serialize)]
        #[repr(transparent)]
        #[serde(transparent)]
        pub struct $name(::serde_json::Value);

        impl $name {
            $( $crate::document::reader! { $(#[$field_meta])* $field: $kind $([$item])? = $key } )*
        }

        impl $crate::document::Draft<$name> {
            $( $crate::document::writer! { $field: $kind $([$item])? = $key } )*
        }

        impl $crate::document::Document for $name {
            const NEEDS: &'static [&'static str] = &[$($($needed),+)?];
        }

        impl From<::serde_json::Value> for $name {
            fn from(json: ::serde_json::Value) -> Self {
                Self(json)
            }
        }

        impl From<$name> for ::serde_json::Value {
            fn from(document: $name) -> Self {
                document.0
            }
        }

        impl AsRef<::serde_json::Value> for $name {
            fn as_ref(&self) -> &::serde_json::Value {
                &self.0
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let json = ::serde_json::Value::deserialize(deserializer)?;
                $crate::document::has_needed::<Self>(&json).map_err(::serde::de::Error::custom)?;
                Ok(Self(json))
            }
        }

        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, "{} {:?}", stringify!($name), $crate::document::Redacted(&self.0))
            }
        }
    };
}

macro_rules! reader {
    ($(#[$meta:meta])* $field:ident: text = $key:literal) => {
        $(#[$meta])*
        pub fn $field(&self) -> Option<&str> {
            self.0.get($key)?.as_str()
        }
    };
    ($(#[$meta:meta])* $field:ident: count = $key:literal) => {
        $(#[$meta])*
        pub fn $field(&self) -> Option<u64> {
            self.0.get($key)?.as_u64()
        }
    };
    ($(#[$meta:meta])* $field:ident: number = $key:literal) => {
        $(#[$meta])*
        pub fn $field(&self) -> Option<f64> {
            self.0.get($key)?.as_f64()
        }
    };
    ($(#[$meta:meta])* $field:ident: flag = $key:literal) => {
        $(#[$meta])*
        pub fn $field(&self) -> Option<bool> {
            self.0.get($key)?.as_bool()
        }
    };
    ($(#[$meta:meta])* $field:ident: json = $key:literal) => {
        $(#[$meta])*
        pub fn $field(&self) -> Option<&::serde_json::Value> {
            self.0.get($key).filter(|json| !json.is_null())
        }
    };
    ($(#[$meta:meta])* $field:ident: map = $key:literal) => {
        $(#[$meta])*
        pub fn $field(&self) -> Option<&::serde_json::Map<String, ::serde_json::Value>> {
            self.0.get($key)?.as_object()
        }
    };
    ($(#[$meta:meta])* $field:ident: texts = $key:literal) => {
        $(#[$meta])*
        pub fn $field(&self) -> impl Iterator<Item = &str> {
            $crate::document::items(self.0.get($key)).iter().filter_map(::serde_json::Value::as_str)
        }
    };
    ($(#[$meta:meta])* $field:ident: object[$item:ty] = $key:literal) => {
        $(#[$meta])*
        pub fn $field(&self) -> Option<&$item> {
            self.0.get($key).filter(|json| json.is_object()).map($crate::document::Document::of)
        }
    };
    ($(#[$meta:meta])* $field:ident: list[$item:ty] = $key:literal) => {
        $(#[$meta])*
        pub fn $field(&self) -> impl DoubleEndedIterator<Item = &$item> + ExactSizeIterator {
            $crate::document::items(self.0.get($key)).iter().map($crate::document::Document::of)
        }
    };
}

macro_rules! writer {
    ($field:ident: text = $key:literal) => {
        pub fn $field(self, text: impl Into<String>) -> Self {
            self.set($key, text.into())
        }
    };
    ($field:ident: count = $key:literal) => {
        pub fn $field(self, count: u64) -> Self {
            self.set($key, count)
        }
    };
    ($field:ident: number = $key:literal) => {
        pub fn $field(self, number: f64) -> Self {
            self.set($key, number)
        }
    };
    ($field:ident: flag = $key:literal) => {
        pub fn $field(self, flag: bool) -> Self {
            self.set($key, flag)
        }
    };
    ($field:ident: json = $key:literal) => {
        pub fn $field(self, json: impl Into<::serde_json::Value>) -> Self {
            self.set($key, json)
        }
    };
    ($field:ident: map = $key:literal) => {
        pub fn $field(self, entries: impl IntoIterator<Item = (String, ::serde_json::Value)>) -> Self {
            self.set($key, ::serde_json::Value::Object(entries.into_iter().collect()))
        }
    };
    ($field:ident: texts = $key:literal) => {
        pub fn $field(self, texts: impl IntoIterator<Item = impl Into<String>>) -> Self {
            self.set($key, texts.into_iter().map(Into::into).collect::<Vec<String>>())
        }
    };
    ($field:ident: object[$item:ty] = $key:literal) => {
        pub fn $field(self, item: $item) -> Self {
            self.set($key, item)
        }
    };
    ($field:ident: list[$item:ty] = $key:literal) => {
        pub fn $field(self, items: impl IntoIterator<Item = $item>) -> Self {
            self.set($key, items.into_iter().map(::serde_json::Value::from).collect::<Vec<_>>())
        }
    };
}

pub(crate) use {document, reader, writer};
