// Formats a log line for a terminal. Programs must read the JSON lines instead.

const colors: Readonly<Record<string, number>> = { trace: 90, debug: 90, info: 32, warn: 33, error: 31, fatal: 35 }
const leading = new Set(['time', 'level', 'service', 'msg', 'err'])

const plain = /^[\w.:/@+-]+$/

const printValue = (value: unknown): string => {
  if (typeof value !== 'string') return JSON.stringify(value) ?? 'undefined'
  return plain.test(value) ? value : JSON.stringify(value)
}

const parseLine = (line: string): Record<string, unknown> | null => {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

interface PrintedError {
  readonly type?: string
  readonly code?: string
  readonly message?: string
  readonly stack?: string
}

/** Prints only the message of an expected error. A bug is printed with its stack. */
const printError = (error: PrintedError): { readonly inline: string; readonly stack: string } => {
  const name = error.code ?? error.type ?? 'Error'
  const expected = error.type === 'AppError'
  return { inline: `${name}: ${error.message ?? ''}`.replaceAll('\n', ' '), stack: expected || !error.stack ? '' : `\n${error.stack}` }
}

/** Prints `12:04:05.123 INFO gateway listening port=4318`. Other text is unchanged. */
export const formatPretty = (line: string, color: boolean): string => {
  const entry = parseLine(line)
  if (entry === null) return line
  const level = String(entry.level ?? 'info')
  const paint = (code: number, text: string) => (color ? `\u001b[${code}m${text}\u001b[0m` : text)
  const time = String(entry.time ?? '').slice(11, 23)
  const error = entry.err === undefined ? null : printError(entry.err as PrintedError)
  const fields = Object.entries(entry)
    .filter(([key]) => !leading.has(key))
    .map(([key, value]) => `${key}=${printValue(value)}`)
    .join(' ')
  const head = [
    paint(90, time),
    paint(colors[level] ?? 0, level.toUpperCase().padEnd(5)),
    entry.service === undefined ? '' : paint(36, String(entry.service)),
    entry.msg === undefined ? '' : String(entry.msg).replaceAll('\n', ' '),
    error?.inline ?? '',
    fields === '' ? '' : paint(90, fields),
  ]
  return `${head.filter(part => part !== '').join(' ')}${error?.stack ?? ''}\n`
}
