// The error for an event that cannot be merged.

/** Thrown if the body of an event is not a JSON object, or is nested too deeply to serialize. */
export class UnreadableEvent extends Error {}
