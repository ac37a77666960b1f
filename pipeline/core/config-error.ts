/** Thrown with all faults of the environment in one message. */
export class ConfigError extends Error {}
