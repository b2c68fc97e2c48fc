// Detects that the application has dropped a result without reading it. Otherwise, the recording of the result would never end.

interface Ends {
  leave(): void
}

let registry: FinalizationRegistry<Ends> | undefined

/** Ends the recording when the object has been garbage-collected. The recording itself must not refer to the object. */
export function endWhenCollected(object: object, recording: Ends): void {
  if (typeof FinalizationRegistry === 'undefined') return
  registry ??= new FinalizationRegistry(abandoned => abandoned.leave())
  registry.register(object, recording, recording)
}

export function keep(recording: Ends): void {
  registry?.unregister(recording)
}
