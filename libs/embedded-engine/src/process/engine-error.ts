// Parses an exception of the engine from its text: `Code: 60. DB::Exception: … (UNKNOWN_TABLE)`.
import { SqlRefused } from '../sql/refused.ts'

export interface EngineFailure {
  readonly code: number
  readonly type: string
  readonly message: string
}

const codePrefix = /^Code: (\d+)\. (?:DB::Exception: )?/
// This expression must run in linear time, because the text can contain any part of a statement.
const typeSuffix = /\(([A-Z][A-Z0-9_]{2,})\)(?: \(version [^()]*(?:\([^()]*\))?\))?\.?\s*$/

/** Matches the name of the engine's temporary file in a message. Callers do not know this file, so the name is replaced. */
const spoolFile = /\(in file\/uri [^()]*\)/g
const ending = /(?<![\s.])[\s.]+$/

/** Finds the original exception. The client code of the library wraps an exception of its server code, sometimes several times. */
const peel = (text: string): EngineFailure | null => {
  let code: number | undefined
  let type = 'UNKNOWN_EXCEPTION'
  let message = text
  for (let match = codePrefix.exec(message); match; match = codePrefix.exec(message)) {
    code = Number(match[1])
    message = message.slice(match[0].length)
    const suffix = typeSuffix.exec(message)
    if (suffix) {
      type = suffix[1]!
      message = message.slice(0, suffix.index).trimEnd()
    }
  }
  return code === undefined ? null : { code, type, message: message.replace(spoolFile, '(in the body)').replace(ending, '') }
}

/** Accepts any thrown value. A value that is not an exception of the engine gets the code 49 (LOGICAL_ERROR). */
export const engineFailure = (error: unknown): EngineFailure => {
  if (error instanceof SqlRefused) return { code: error.code, type: error.type, message: error.message.replace(/\.$/, '') }
  const text = error instanceof Error ? error.message : String(error)
  const errno = error instanceof Error && 'code' in error ? error.code : undefined
  if (errno === 'ENOSPC' || errno === 'EDQUOT')
    return { code: 243, type: 'NOT_ENOUGH_SPACE', message: 'The disk of the data directory is full: the insert was not stored' }
  if (typeof errno === 'string' && /^(Z|ZSTD)_/i.test(errno))
    return { code: 271, type: 'CANNOT_DECOMPRESS', message: `The body cannot be decompressed: ${text}` }
  return peel(text) ?? { code: 49, type: 'LOGICAL_ERROR', message: text }
}

const byStatus: readonly [status: number, codes: readonly number[]][] = [
  [401, [194]],
  [403, [192, 193, 492, 497, 516]],
  // These codes mean that the statement or a value is wrong and can never succeed.
  [400, [6, 26, 27, 32, 33, 34, 36, 38, 41, 42, 43, 44, 53, 62, 69, 70, 72, 117, 131, 170, 271, 350, 385, 386, 395, 396, 427, 457, 467]],
  [404, [8, 16, 46, 47, 50, 56, 60, 63, 73, 81, 83, 107, 115, 511]],
  [408, [159]],
  [413, [191]],
  [501, [1, 48]],
  [503, [76, 202, 209, 439]],
]

const statuses = new Map(byStatus.flatMap(([status, codes]) => codes.map(code => [code, status] as const)))

/** Returns the HTTP status that ClickHouse sends with this code. While the HTTP listener drains, it sends 503 without a code. */
export const httpStatusOf = (code: number): number => statuses.get(code) ?? 500
