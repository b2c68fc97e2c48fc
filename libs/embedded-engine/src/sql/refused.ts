// Refuses a request before it reaches the engine. The error has ClickHouse's code and name, so that clients classify it as usual.

const refusalCodes = {
  NOT_IMPLEMENTED: 48,
  SYNTAX_ERROR: 62,
  BAD_ARGUMENTS: 36,
  UNKNOWN_SETTING: 115,
  READONLY: 164,
  QUERY_IS_TOO_LARGE: 191,
  TOO_MANY_SIMULTANEOUS_QUERIES: 202,
  MEMORY_LIMIT_EXCEEDED: 241,
  NOT_ENOUGH_SPACE: 243,
  CANNOT_DECOMPRESS: 271,
  SETTING_CONSTRAINT_VIOLATION: 452,
  ACCESS_DENIED: 497,
  REQUIRED_PASSWORD: 194,
  AUTHENTICATION_FAILED: 516,
} as const

export type RefusalName = keyof typeof refusalCodes

export class SqlRefused extends Error {
  override readonly name = 'SqlRefused'
  readonly code: number
  readonly type: RefusalName

  constructor(type: RefusalName, message: string) {
    super(message)
    this.type = type
    this.code = refusalCodes[type]
  }
}
