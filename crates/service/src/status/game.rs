//! The page of the owner's game: what the blog reads, where it came from, and what was played lately.

use crate::game::window::GameField;
use crate::http::replies::GameStatus;

/// The fields of the answer, in the order that it has them.
pub fn fields(status: GameStatus) -> Vec<GameField> {
    let mut fields = vec![("status", status.status)];
    if let Some(played) = status.game {
        fields.extend([
            ("game", played.game),
            ("game_id", played.game_id),
            ("description", played.description),
            ("price", played.price),
            ("playtime", played.playtime),
            ("achievement_percentage", played.achievement_percentage),
        ]);
    }
    let field = |(name, value): (&str, String)| GameField {
        name: name.to_owned(),
        value,
    };
    fields.into_iter().map(field).collect()
}

#[cfg(test)]
mod tests {
    use crate::http::replies::PlayedGame;

    use super::*;

    #[test]
    fn the_fields_are_those_of_the_answer() {
        let playing = GameStatus {
            status: GameStatus::IN_GAME.to_owned(),
            game: Some(PlayedGame {
                game: "Portal 2".to_owned(),
                game_id: "620".to_owned(),
                description: "a".to_owned(),
                price: "b".to_owned(),
                playtime: "c".to_owned(),
                achievement_percentage: "d".to_owned(),
            }),
        };
        for status in [GameStatus::plain(GameStatus::ONLINE), playing] {
            let answer = serde_json::to_value(&status).expect("JSON");
            let listed = fields(status);
            assert_eq!(listed.len(), answer.as_object().expect("an object").len());
            for field in listed {
                assert_eq!(answer[&field.name], field.value.as_str(), "{}", field.name);
            }
        }
    }
}
