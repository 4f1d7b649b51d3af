//! Reading single headers, and what `Accept` and `Content-Type` say about JSON.

use ::http::{HeaderMap, header};

/// The only value of a header, trimmed of optional white space.
pub(super) fn single<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, String> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(format!("duplicate {name} header"));
    }
    match value.to_str() {
        Ok(value) => Ok(Some(value.trim_matches([' ', '\t']))),
        Err(_) => Err(format!("{name} header holds invalid characters")),
    }
}

/// Whether `Accept` leaves room for JSON. Of the ranges that match, the most specific one decides
/// (RFC 9110 section 12.5.1). Only an explicit refusal counts.
pub(super) fn accepts_json(headers: &HeaderMap) -> bool {
    let mut named = false;
    let mut best: Option<(Specificity, bool)> = None;
    for value in headers.get_all(header::ACCEPT) {
        let Ok(value) = value.to_str() else {
            return false;
        };
        for range in value
            .split(',')
            .map(str::trim)
            .filter(|range| !range.is_empty())
        {
            named = true;
            let Ok(range) = range.parse::<mime::Mime>() else {
                continue;
            };
            if let Some(specificity) = matches_json(&range)
                && best.is_none_or(|(best, _)| specificity > best)
            {
                best = Some((specificity, !is_refusal(&range)));
            }
        }
    }
    best.map_or(!named, |(_, accepted)| accepted)
}

/// How closely a media range describes JSON.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Specificity {
    Anything,
    Application,
    Json,
}

fn matches_json(range: &mime::Mime) -> Option<Specificity> {
    match (range.type_(), range.subtype()) {
        (mime::STAR, _) => Some(Specificity::Anything),
        (mime::APPLICATION, mime::STAR) => Some(Specificity::Application),
        (mime::APPLICATION, mime::JSON) => Some(Specificity::Json),
        _ => None,
    }
}

/// Whether a range has the weight 0, which means "not acceptable".
fn is_refusal(range: &mime::Mime) -> bool {
    range.get_param("q").is_some_and(|quality| {
        quality
            .as_str()
            .parse::<f32>()
            .is_ok_and(|quality| quality <= 0.0)
    })
}

/// Whether the body is declared as JSON, whatever the parameters.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    matches!(single(headers, header::CONTENT_TYPE.as_str()), Ok(Some(value))
        if value.parse::<mime::Mime>().is_ok_and(|kind| kind.essence_str() == "application/json"))
}
