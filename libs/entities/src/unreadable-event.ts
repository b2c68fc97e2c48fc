// Error for an event that cannot be merged.

/** The event's body is no JSON object, or is nested too deeply to be written. */
export class UnreadableEvent extends Error {}
