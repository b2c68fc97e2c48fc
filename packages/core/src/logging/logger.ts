// The SDK's logger, which writes messages with a level to the console. The application can replace the global logger.
import { getEnv, hasEnvironment } from '../config.ts'

export const LogLevel = { DEBUG: 0, INFO: 1, WARN: 2, ERROR: 3, NONE: 4 } as const
export type LogLevel = (typeof LogLevel)[keyof typeof LogLevel]

export interface LoggerConfig {
  /** Messages below this level are not printed. */
  level: LogLevel
  /** Prefix of each message (default `[Svc SDK]`). */
  prefix?: string | undefined
  /** True (the default) if each line begins with the time. */
  enableTimestamp?: boolean | undefined
}

type Method = 'error' | 'warn' | 'info' | 'debug'

export class Logger {
  private readonly config: LoggerConfig & { prefix: string; enableTimestamp: boolean }

  constructor(config: LoggerConfig) {
    this.config = { level: config.level, prefix: config.prefix ?? '[Svc SDK]', enableTimestamp: config.enableTimestamp ?? true }
  }

  error(message: string, ...details: unknown[]): void {
    this.print('error', LogLevel.ERROR, 'ERROR', message, details)
  }

  warn(message: string, ...details: unknown[]): void {
    this.print('warn', LogLevel.WARN, 'WARN', message, details)
  }

  info(message: string, ...details: unknown[]): void {
    this.print('info', LogLevel.INFO, 'INFO', message, details)
  }

  debug(message: string, ...details: unknown[]): void {
    this.print('debug', LogLevel.DEBUG, 'DEBUG', message, details)
  }

  setLevel(level: LogLevel): void {
    this.config.level = level
  }

  getLevel(): LogLevel {
    return this.config.level
  }

  isLevelEnabled(level: LogLevel): boolean {
    return level >= this.config.level
  }

  private print(method: Method, level: LogLevel, name: string, message: string, details: readonly unknown[]): void {
    if (!this.isLevelEnabled(level)) return
    const parts = [this.config.enableTimestamp ? new Date().toISOString() : '', this.config.prefix, `[${name}]`, message]
    console[method](parts.filter(part => part !== '').join(' '), ...details)
  }
}

let instance: Logger | undefined
let hasReadEnvironment = false

/** `SVC_DEBUG=true` takes precedence over `SVC_LOG_LEVEL`. Both are read only once. */
function initialLevel(): LogLevel {
  if (hasReadEnvironment || !hasEnvironment()) return LogLevel.INFO
  hasReadEnvironment = true
  if (getEnv('SVC_DEBUG')?.toLowerCase() === 'true') return LogLevel.DEBUG
  const name = getEnv('SVC_LOG_LEVEL')?.toUpperCase() ?? ''
  return name in LogLevel ? LogLevel[name as keyof typeof LogLevel] : LogLevel.INFO
}

/** Returns the logger of all SDK packages. */
export function getGlobalLogger(): Logger {
  return (instance ??= new Logger({ level: initialLevel() }))
}

/** Replaces the global logger. */
export function configureGlobalLogger(config: LoggerConfig): void {
  hasReadEnvironment = true
  instance = new Logger(config)
}

/** Removes the global logger. The next global logger has the level INFO, regardless of environment variables. */
export function resetGlobalLogger(): void {
  hasReadEnvironment = true
  instance = undefined
}

/** Creates a logger independent of the global logger. */
export function createLogger(config: LoggerConfig = { level: LogLevel.INFO }): Logger {
  return new Logger(config)
}

/** Object that contains the global logger. */
export const logger: {
  readonly getInstance: () => Logger
  readonly configure: (config: LoggerConfig) => void
  readonly reset: () => void
} = { getInstance: getGlobalLogger, configure: configureGlobalLogger, reset: resetGlobalLogger }
