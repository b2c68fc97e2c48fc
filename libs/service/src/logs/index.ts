export { createLogger, type Logger, type LoggerOptions, type LogLevel, logLevels } from './logger.ts'
export { type SerializedError, serializeError } from './serialize-error.ts'
