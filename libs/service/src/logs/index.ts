export { createLogger, type Logger, type LoggerOptions, logLevels } from './logger.ts'
export { createSeldomLog } from './seldom.ts'
