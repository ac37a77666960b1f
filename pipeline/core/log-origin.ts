/** Names that a tamper-evident log can have: what the format of signed notes allows in the name of a key. */
export const LOG_ORIGIN = /^[^\s+\p{Cc}]{1,200}$/u
