// Why an event cannot be merged.

/** Its body is no JSON object, or is nested beyond what can be written. */
export class UnreadableEvent extends Error {}
