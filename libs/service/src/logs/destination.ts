// The destination of log lines. A stalled or disconnected reader of stdout may cost log lines, but never data or the process
// (F39).
import type { Writable } from 'node:stream'

export interface LogDestination {
  /** Takes one line with its newline. Never throws and never waits. */
  write(line: string): void
  /** Lines dropped so far because the stream was blocked, broken, or closed. */
  readonly dropped: number
}

export interface LogDestinationOptions {
  /** Bytes buffered for a slow reader; further lines are dropped and counted. */
  readonly maxBufferedBytes?: number
  /** Creates the line that reports how many lines were dropped, once the reader continues. */
  readonly droppedLine?: (lines: number) => string
}

/** A bounded buffer before a stream such as `process.stdout`; it never fails. */
export const createLogDestination = (stream: Writable, options: LogDestinationOptions = {}): LogDestination => {
  const { maxBufferedBytes = 1024 * 1024, droppedLine } = options
  let closed = false
  let dropped = 0
  let unreported = 0

  // Without a listener an EPIPE on stdout is an uncaught exception, and `svc … | head` would end a server.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || stream.destroyed) closed = true
  })

  const give = (line: string): boolean => {
    if (closed || stream.destroyed || stream.writableEnded || stream.writableLength > maxBufferedBytes) return false
    try {
      stream.write(line)
      return true
    } catch {
      // File descriptors are written synchronously and may throw (ENOSPC, EAGAIN).
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
