//! The macro that declares the documents of this module.
//!
//! A document *is* the JSON that was sent, with a reader for each field that Runlens uses. A field that is absent, `null`
//! or of an unexpected shape reads as `None`, so a server of a later protocol never makes a whole document unreadable.
//!
//! | kind | reads as | in JSON |
//! | --- | --- | --- |
//! | `text`, `count` | `Option` of `&str`, `u64` | a value of that kind |
//! | `json` | `Option<&Value>` | anything but `null` |
//! | `object[T]` | `Option<&T>` | an object |
//! | `list[T]` | an iterator of `&T` | a list; empty if it is something else |

/// Declares a document type: for each field its name in Rust, its kind and its name in JSON. Deserialization fails if a
/// field listed under `needs` is missing: such a response does not come from MANTYX.
macro_rules! document {
    (
        $(#[$meta:meta])*
        $name:ident $(needs [$($needed:literal),+])? {
            $( $(#[$field_meta:meta])* $field:ident: $kind:ident $([$item:ty])? = $key:literal, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Default, PartialEq, ::ref_cast::RefCast)]
        #[repr(transparent)]
        pub struct $name(::serde_json::Value);

        impl $name {
            $( $crate::messages::document::reader! { $(#[$field_meta])* $field: $kind $([$item])? = $key } )*

            /// Returns everything that was sent.
            pub fn json(&self) -> &::serde_json::Value {
                &self.0
            }
        }

        impl From<::serde_json::Value> for $name {
            fn from(json: ::serde_json::Value) -> Self {
                Self(json)
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let json = ::serde_json::Value::deserialize(deserializer)?;
                let needs: &[&str] = &[$($($needed),+)?];
                match needs.iter().find(|key| json.get(**key).is_none_or(::serde_json::Value::is_null)) {
                    Some(key) => Err(::serde::de::Error::custom(format_args!("`{key}` is missing"))),
                    None => Ok(Self(json)),
                }
            }
        }

        // Specs hold header values: a document is not written to logs.
        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
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
    ($(#[$meta:meta])* $field:ident: json = $key:literal) => {
        $(#[$meta])*
        pub fn $field(&self) -> Option<&::serde_json::Value> {
            self.0.get($key).filter(|json| !json.is_null())
        }
    };
    ($(#[$meta:meta])* $field:ident: object[$item:ty] = $key:literal) => {
        $(#[$meta])*
        pub fn $field(&self) -> Option<&$item> {
            self.0.get($key).filter(|json| json.is_object()).map(::ref_cast::RefCast::ref_cast)
        }
    };
    ($(#[$meta:meta])* $field:ident: list[$item:ty] = $key:literal) => {
        $(#[$meta])*
        pub fn $field(&self) -> impl Iterator<Item = &$item> {
            $crate::json::items(self.0.get($key)).iter().map(::ref_cast::RefCast::ref_cast)
        }
    };
}

pub(crate) use {document, reader};
