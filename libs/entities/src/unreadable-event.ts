// Error for an event that cannot be merged.

/** Thrown when the event's body is not a JSON object, or is nested too deeply to be written. */
export class UnreadableEvent extends Error {}
