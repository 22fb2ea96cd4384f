//! Makes the type of all messages out of their table.

/// A message a line: its code, its parameters, and its sentence for the log and the command line.
macro_rules! messages {
    ($($code:ident $({ $($parameter:ident),+ })? = $sentence:literal,)+) => {
        /// What the process says. As data it is a code and parameters, which the page has sentences
        /// for; printed, it is English.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[cfg_attr(test, derive(ts_rs::TS))]
        #[serde(tag = "code", content = "parameters", rename_all = "snake_case")]
        #[allow(missing_docs, reason = "the sentence of a message says what its parameters are")]
        pub enum Message {
            $(#[doc = $sentence] $code $({ $($parameter: Parameter),+ })?,)+
        }

        impl fmt::Display for Message {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$code $({ $($parameter),+ })? => write!(f, $sentence),)+
                }
            }
        }

        #[cfg(test)]
        impl Message {
            /// One of each, whose parameters are their names.
            pub(crate) fn samples() -> Vec<Self> {
                vec![$(Self::$code $({ $($parameter: stringify!($parameter).into()),+ })?,)+]
            }
        }
    };
}

pub(super) use messages;
