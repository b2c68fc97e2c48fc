// Streams all rows that match a filter, as fast as the client reads, with a count and a checksum at the end. A project can have only one
// stream at a time. If a stream cannot be finished, its connection is reset, so that no client mistakes a part for the whole stream.
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { TLSSocket } from 'node:tls'
import type { StreamType } from '@svc-server/api/streams'
import { AppError, isAppError } from '@svc-server/errors'
import { createFairPlaces, type FairPlaces } from '@svc-server/fairness/places'
import { type Answer, ClientGone } from '@svc-server/http/bodies'
import type { Piece } from '@svc-server/query/stream'
import type { Metrics } from '@svc-server/service/metrics'
import type { apiMetrics } from '../metrics.ts'
import type { RowStream, StreamTools } from './handler.ts'
import { withCors } from './respond.ts'

/**
 * Maximum number of streams that run at the same time in a process, for all projects together. Each running stream has a slice of its rows
 * in memory.
 */
const mostAtOnce = 4
/** Maximum concurrent queries of one stream. The project's remaining slots for reads stay free for requests that read one page of rows. */
const queriesAtOnce = 2
/** Bytes of a chunk (one write to the connection). If a client does not read a chunk within `idleMs`, the API closes the connection. */
const chunkBytes = 256 * 1024

export interface StreamsOptions {
  readonly reads: Pick<FairPlaces, 'run'>
  readonly metrics: Pick<Metrics<typeof apiMetrics>, 'streams' | 'streamedRows'>
  /** Maximum time for a client to read one chunk. */
  readonly idleMs: number
}

interface Streaming {
  readonly owner: string
  readonly type: StreamType
  readonly raw: IncomingMessage
  readonly response: ServerResponse
  /** Aborts when the client disconnects. */
  readonly left: AbortSignal
  readonly open: (tools: StreamTools) => Promise<RowStream>
}

export interface Streams {
  /**
   * Resolves when the whole stream is sent. Throws whatever `open` throws. Throws `overloaded` if a stream of the same owner is already
   * running, `at_capacity` if too many streams are running, and ClientGone if the stream was cut.
   */
  run(streaming: Streaming): Promise<Answer>
  /** Cuts all streams. */
  cut(): void
}

export function createStreams({ reads, metrics, idleMs }: StreamsOptions): Streams {
  const owners = new Set<string>()
  const ending = new AbortController()

  function admit(owner: string): void {
    if (ending.signal.aborted) throw new AppError('draining', 'The public API is draining.')
    if (owners.has(owner))
      throw new AppError('overloaded', 'A stream of this project is already running; a project can have only one at a time.')
    if (owners.size >= mostAtOnce) throw new AppError('at_capacity', `${owners.size} streams are running.`)
  }

  async function write(response: ServerResponse, bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      await written(response, bytes.subarray(at, at + chunkBytes), idleMs)
      if (response.destroyed) throw new ClientGone()
    }
  }

  async function send(response: ServerResponse, first: IteratorResult<Piece, void>, pieces: AsyncIterator<Piece, void>): Promise<void> {
    const hash = createHash('sha256')
    let rows = 0
    for (let next = first; !next.done; next = await pieces.next()) {
      rows += next.value.rows
      hash.update(next.value.bytes)
      await write(response, next.value.bytes)
      free(next.value.bytes)
    }
    response.addTrailers({ 'x-svc-rows': String(rows), 'x-svc-sha256': hash.digest('hex') })
    response.end()
    metrics.streamedRows.inc(rows)
  }

  async function stream({ owner, type, raw, response, left, open }: Streaming): Promise<Answer> {
    const signal = AbortSignal.any([left, ending.signal])
    const own = createFairPlaces({ places: queriesAtOnce, mostOfOne: queriesAtOnce, mostWaiting: 100 })
    const turn = <T>(work: () => Promise<T>): Promise<T> =>
      own.run(owner, () =>
        reads.run(owner, () => {
          signal.throwIfAborted()
          return work()
        }),
      )
    const pieces = await open({ type, turn, signal })
    try {
      return await respond({ type, raw, response }, pieces)
    } finally {
      await pieces.return()
    }
  }

  async function respond({ type, raw, response }: Pick<Streaming, 'type' | 'raw' | 'response'>, pieces: RowStream): Promise<Answer> {
    // The API reads the first piece of rows before it sends the status. If this first read gets no response from the store, the client gets
    // an error response instead of a cut stream.
    const first = await pieces.next()
    const common = {
      'content-type': type,
      'cache-control': 'no-store',
      ...(hasTrailers(raw) && { trailer: 'x-svc-rows, x-svc-sha256' }),
    }
    const answer = withCors({ status: 200, headers: common, body: '' }, raw.headers.origin)
    response.writeHead(200, answer.headers)
    if (raw.method === 'HEAD') response.end()
    else await send(response, first, pieces)
    return answer
  }

  return {
    async run(streaming) {
      const { owner, response } = streaming
      admit(owner)
      owners.add(owner)
      try {
        const answer = await stream(streaming)
        metrics.streams.inc({ outcome: 'whole' })
        return answer
      } catch (error) {
        const isLeft = response.destroyed
        if (!isLeft && !response.headersSent) throw ending.signal.aborted ? new AppError('draining', 'The public API is draining.') : error
        metrics.streams.inc({ outcome: isLeft ? 'left' : 'cut' })
        reset(response)
        if (isLeft || isAppError(error) || ending.signal.aborted) throw new ClientGone()
        throw error
      } finally {
        owners.delete(owner)
      }
    },
    cut: () => ending.abort(),
  }
}

/**
 * Resolves when the connection has taken the chunk, and also when the connection closes. Rejects with ClientGone if the client does not
 * read the chunk within `timeoutMs` milliseconds.
 */
function written(response: ServerResponse, chunk: Uint8Array, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => () => {
      clearTimeout(timer)
      response.off('close', onEnd)
      end()
    }
    const onEnd = settle(resolve)
    const timer = setTimeout(
      settle(() => reject(new ClientGone())),
      timeoutMs,
    )
    response.once('close', onEnd).write(chunk, onEnd)
  })
}

/**
 * Frees the memory of a slice immediately. If freeing slices were left to the garbage collector, several slices would stay in memory, and
 * the collector would run often. A short slice can share its memory with other slices, so short slices are not freed.
 */
function free({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength >= 2 * chunkBytes) buffer.transfer(0)
}

/** Trailers follow a chunked body, which HTTP/1.0 does not support. */
const hasTrailers = ({ method, httpVersion }: IncomingMessage): boolean => method !== 'HEAD' && httpVersion !== '1.0'

function reset(response: ServerResponse): void {
  const { socket } = response
  if (socket === null || socket instanceof TLSSocket) response.destroy()
  else socket.resetAndDestroy()
}
