/** Thrown for an event whose body is not a JSON object, or is nested too deeply to serialize. */
export class UnreadableEvent extends Error {}
