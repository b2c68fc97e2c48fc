// The error for an event that cannot be merged.

/** Thrown if the body of an event is not a JSON object, or has too many nested levels to be written. */
export class UnreadableEvent extends Error {}
