// The part of a pino logger that the log uses, so that the library does not depend on pino.
export interface Logger {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

const nothing = (): void => {}
export const silentLogger: Logger = { info: nothing, warn: nothing, error: nothing }
