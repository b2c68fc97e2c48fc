// Detects that the application dropped a result without reading it. Without this detection, the recording of the result would never end.

interface Ends {
  leave(): void
}

let registry: FinalizationRegistry<Ends> | undefined

/** The recording must not refer to the object, or the object would never be garbage-collected. */
export function endWhenCollected(object: object, recording: Ends): void {
  if (typeof FinalizationRegistry === 'undefined') return
  registry ??= new FinalizationRegistry(abandoned => abandoned.leave())
  registry.register(object, recording, recording)
}

export function keep(recording: Ends): void {
  registry?.unregister(recording)
}
