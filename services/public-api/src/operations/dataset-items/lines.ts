// Reads the lines of a body that is too large for memory.
import type { Readable } from 'node:stream'
import { AppError } from '@svc-server/errors'
import { tooLarge } from '@svc-server/http/bodies'

export interface Line {
  /** Number of the line, beginning with 1. */
  readonly number: number
  readonly bytes: Buffer
}

export interface LineLimits {
  readonly maxBytes: number
  readonly maxLineBytes: number
}

const newline = 0x0a

/** Yields the lines that are not blank. Throws `body_too_large` if the body or a line is too long. */
export async function* linesOf(content: Readable, { maxBytes, maxLineBytes }: LineLimits): AsyncGenerator<Line> {
  let held: Buffer[] = []
  let heldBytes = 0
  let bytes = 0
  let number = 0
  const keep = (part: Buffer) => {
    heldBytes += part.length
    if (heldBytes > maxLineBytes)
      throw new AppError('body_too_large', `Line ${number + 1} is larger than ${maxLineBytes} bytes.`, { limit: maxLineBytes })
    held.push(part)
  }
  function whole(): Line | undefined {
    number++
    const line = Buffer.concat(held)
    held = []
    heldBytes = 0
    return line.every(byte => byte === 0x20 || byte === 0x0d || byte === 0x09) ? undefined : { number, bytes: line }
  }
  for await (const chunk of content as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge(maxBytes)
    let from = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      keep(chunk.subarray(from, end))
      from = end + 1
      const line = whole()
      if (line !== undefined) yield line
    }
    if (from < chunk.length) keep(chunk.subarray(from))
  }
  const last = whole()
  if (last !== undefined) yield last
}
