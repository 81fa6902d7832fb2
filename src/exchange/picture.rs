//! A picture inside a JSON file: a `data:` URL.

use base64::{Engine, engine::general_purpose::STANDARD};

use super::refusal::PictureFault;
use crate::story::picture::{Fault, MAX_PICTURE_BYTES, look};

/// Media type and bytes.
pub type Picture = (String, Vec<u8>);

pub fn to_data_url(kind: &str, bytes: &[u8]) -> String {
    format!("data:{kind};base64,{}", STANDARD.encode(bytes))
}

/// Reads what a card names as its picture. The media type is what the bytes are, not what the URL claims.
///
/// # Errors
/// Not a `data:` URL (a file name, an address on the network), or no picture that can be shown by what its head says.
pub fn from_url(url: &str) -> Result<Picture, PictureFault> {
    let Some(rest) = url.strip_prefix("data:") else {
        let short: String = url.chars().take(200).collect();
        let remote = ["http:", "https:", "//"].iter().any(|start| url.starts_with(start));
        return Err(if remote { PictureFault::Remote(short) } else { PictureFault::NotIncluded(short) });
    };
    let (_, encoded) = rest.split_once(',').filter(|(head, _)| head.ends_with(";base64")).ok_or(Fault::Unknown)?;
    // Before the decoding: four characters are three bytes.
    if encoded.len() / 4 * 3 > MAX_PICTURE_BYTES + 3 {
        return Err(Fault::TooLarge { bytes: (encoded.len() / 4 * 3) as u64 }.into());
    }
    let bytes = STANDARD.decode(encoded).map_err(|_| Fault::Unknown)?;
    Ok((look(&bytes)?.kind.to_owned(), bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::picture::samples;

    #[test]
    fn urls() {
        let gif = samples::gif(1, 1);
        assert_eq!(from_url(&to_data_url("image/svg+xml", &gif)), Ok(("image/gif".into(), gif)), "by its bytes");
        let svg = to_data_url("image/png", b"<svg onload='alert(1)'/>");
        let large = format!("data:image/png;base64,{}", "A".repeat(MAX_PICTURE_BYTES * 4 / 3 + 64));
        for (url, fault) in [
            ("alserqi.png", PictureFault::NotIncluded("alserqi.png".into())),
            ("https://x.example/a.png", PictureFault::Remote("https://x.example/a.png".into())),
            (&svg, PictureFault::Unfit(Fault::Unknown)),
            ("data:image/png,GIF89a", PictureFault::Unfit(Fault::Unknown)),
            ("data:image/png;base64,%%%", PictureFault::Unfit(Fault::Unknown)),
            (&large, PictureFault::Unfit(Fault::TooLarge { bytes: MAX_PICTURE_BYTES as u64 + 46 })),
            (
                &to_data_url("image/png", &samples::png(30_000, 1)),
                PictureFault::Unfit(Fault::TooManyPixels { width: 30_000, height: 1 }),
            ),
        ] {
            assert_eq!(from_url(url), Err(fault));
        }
    }
}
