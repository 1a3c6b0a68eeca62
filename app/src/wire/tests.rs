//! Round trips of every supported shape.

use std::collections::BTreeMap;

use serde_json::json;

use super::*;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sample {
    text_of_it: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    nothing: Option<u64>,
    some: Option<i64>,
    shapes: Vec<Shape>,
    map: BTreeMap<String, (u8, bool)>,
    json: Value,
    real: f64,
    wrapped: Wrapped,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Wrapped(Box<Option<char>>);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Shape {
    Unit,
    New(Option<String>),
    Pair(u8, Value),
    Struct {
        at: usize,
        #[serde(default)]
        inner: Vec<Shape>,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
enum Tagged {
    Unit,
    Struct { name: String, age: Option<u8> },
}

fn sample() -> Sample {
    Sample {
        text_of_it: "hé".to_owned(),
        nothing: None,
        some: Some(-3),
        shapes: vec![
            Shape::Unit,
            Shape::New(None),
            Shape::New(Some("x".to_owned())),
            Shape::Pair(7, json!({ "a": [1, null, { "b": 1.5 }] })),
            Shape::Struct { at: 2, inner: vec![Shape::Unit] },
        ],
        map: BTreeMap::from([("k".to_owned(), (1, true))]),
        json: json!([{ "z": 1, "a": [] }, null, "t", 18446744073709551615_u64]),
        real: 0.1,
        wrapped: Wrapped(Box::new(Some('ö'))),
    }
}

fn round_trip<T: Serialize + DeserializeOwned>(value: T) -> T {
    let text = serde_json::to_string(&Wire::encode(&value)).expect("written");
    serde_json::from_str::<Wire<T>>(&text).expect("read").decode().expect("decoded")
}

#[test]
fn every_shape_survives_a_round_trip() {
    assert_eq!(round_trip(sample()), sample());
    assert_eq!(round_trip(Some(vec![(1_u8, "a".to_owned())])), Some(vec![(1, "a".to_owned())]));
    for tagged in [Tagged::Unit, Tagged::Struct { name: "n".to_owned(), age: Some(3) }] {
        assert_eq!(round_trip(tagged.clone()), tagged);
    }
}

#[test]
fn names_are_not_sent() {
    let text = serde_json::to_string(&Wire::encode(&sample())).expect("written");
    assert!(!text.contains("textOfIt") && !text.contains("struct"), "{text}");
    assert!(text.contains(r#"{"z":1,"a":[]}"#), "{text}");
}

#[test]
fn mismatching_data_is_an_error() {
    for data in ["null", "{}", "[]", "[1]", "[[]]", "\"x\"", "[\"t\",null,null,[[9]],{},null,1,null]"] {
        let text = format!("[\"\",{data}]");
        assert!(serde_json::from_str::<Wire<Sample>>(&text).expect("page data").decode().is_err(), "{text}");
        assert!(serde_json::from_str::<Wire<Sample>>(data).is_err(), "{data}");
    }
}
