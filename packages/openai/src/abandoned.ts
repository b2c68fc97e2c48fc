// Detects that the application has dropped a result without reading it, because the recording of this result would otherwise never end.

interface Ends {
  leave(): void
}

let registry: FinalizationRegistry<Ends> | undefined

/**
 * Ends the recording when the object has been garbage-collected. The recording must not refer to the object, because the object would then
 * never be freed.
 */
export function endWhenCollected(object: object, recording: Ends): void {
  if (typeof FinalizationRegistry === 'undefined') return
  registry ??= new FinalizationRegistry(abandoned => abandoned.leave())
  registry.register(object, recording, recording)
}

export function keep(recording: Ends): void {
  registry?.unregister(recording)
}
