// Records streams while the application reads them, without reading ahead.
import { endWhenCollected, keep } from './abandoned.ts'
import type { Recording } from './recording.ts'
import { fieldsOf, hasMethod } from './values.ts'

type Source = AsyncIterator<unknown>

/** True for a stream. A page of a list can also be iterated, but it is not a stream, because it has arrived completely. */
export function isStream(value: unknown): value is object {
  return hasMethod(value, Symbol.asyncIterator) && !hasMethod(value, 'then') && !hasMethod(value, 'iterPages')
}

class RecordedIterator implements AsyncIterableIterator<unknown> {
  private readonly source: Source
  private readonly recording: Recording
  private readonly reading: { count: number }

  constructor(source: Source, recording: Recording, reading: { count: number }) {
    this.source = source
    this.recording = recording
    this.reading = reading
    keep(recording)
    endWhenCollected(this, recording)
  }

  async next(...given: [] | [unknown]): Promise<IteratorResult<unknown>> {
    this.reading.count += 1
    try {
      const result = await this.source.next(...(given as []))
      if (result.done) this.recording.finish()
      else this.recording.chunk(result.value)
      return result
    } catch (error) {
      this.recording.failStream(error)
      throw error
    } finally {
      this.reading.count -= 1
    }
  }

  async return(value?: unknown): Promise<IteratorResult<unknown>> {
    this.recording.finish()
    return (await this.source.return?.(value)) ?? { done: true, value }
  }

  async throw(error?: unknown): Promise<IteratorResult<unknown>> {
    this.recording.failStream(error)
    if (this.source.throw) return this.source.throw(error)
    throw error
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}

/**
 * Ends the recording when the stream is aborted and no read is pending. If a read is pending, the abort ends this read, and the end of the
 * read ends the recording. The abort signal's listener does not refer to the stream, so it does not keep the stream in memory.
 */
function endOnAbort(stream: object, recording: Recording, reading: { readonly count: number }): void {
  const { signal } = fieldsOf((stream as { controller?: unknown }).controller)
  if (!(signal instanceof AbortSignal)) return
  signal.addEventListener(
    'abort',
    () => {
      if (reading.count === 0) recording.finish()
    },
    { once: true },
  )
}

/**
 * Adds each chunk to the recording when the application reads the chunk. Returns a new iterator if the stream is an iterator. Otherwise,
 * returns the stream itself.
 */
export function recordStream(stream: object, recording: Recording): object {
  recording.touch()
  const reading = { count: 0 }
  endOnAbort(stream, recording, reading)
  if (hasMethod(stream, 'next')) return new RecordedIterator(stream as unknown as Source, recording, reading)
  endWhenCollected(stream, recording)
  // If a stream of the OpenAI client has the function `iterator`, every way to read the stream calls this function. Replacing this one
  // function is therefore sufficient.
  const name = hasMethod(stream, 'iterator') ? 'iterator' : Symbol.asyncIterator
  const iterate = (stream as Record<PropertyKey, () => Source>)[name]!
  const value = (...given: []) => new RecordedIterator(iterate.apply(stream, given), recording, reading)
  Object.defineProperty(stream, name, { value, writable: true, configurable: true, enumerable: false })
  return stream
}
