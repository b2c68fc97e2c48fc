// The destination of log lines. A stalled or disconnected reader of stdout can cost log lines, but never data (F39).
import type { Writable } from 'node:stream'

export interface LogDestination {
  /** Takes one line with its newline. Never throws and never waits. */
  write(line: string): void
  /** Lines dropped so far. */
  readonly dropped: number
}

export interface LogDestinationOptions {
  /** Maximum bytes that are buffered for a slow reader. Further lines are dropped and counted. */
  readonly maxBufferedBytes?: number
  /** Returns a log line that reports how many lines were dropped. This line is written when the output accepts lines again. */
  readonly droppedLine?: (lines: number) => string
}

/** Creates a bounded buffer in front of a stream. A write to the buffer never fails. */
export const createLogDestination = (stream: Writable, options: LogDestinationOptions = {}): LogDestination => {
  const { maxBufferedBytes = 1024 * 1024, droppedLine } = options
  let closed = false
  let dropped = 0
  let unreported = 0

  // Without this listener, EPIPE on stdout would be an uncaught exception: `svc … | head` would end a server.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || stream.destroyed) closed = true
  })

  const give = (line: string): boolean => {
    if (closed || stream.destroyed || stream.writableEnded || stream.writableLength > maxBufferedBytes) return false
    try {
      stream.write(line)
      return true
    } catch {
      // A write to a file descriptor is synchronous and can throw (ENOSPC, EAGAIN).
      return false
    }
  }

  return {
    write(line) {
      if (unreported > 0 && droppedLine !== undefined && give(droppedLine(unreported))) unreported = 0
      if (give(line)) return
      dropped += 1
      unreported += 1
    },
    get dropped() {
      return dropped
    },
  }
}
