// Turns a command line into a running process, with uniform help, configuration, logger and signals (architecture §10).
import { hostname } from 'node:os'
import { isAppError } from '@svc-server/errors'
import { type Environment, type LoadedSettings, loadSettings } from '../configuration/load-settings.ts'
import { type Profile, type Setting, type Settings, setting, type ValuesOf } from '../configuration/setting.ts'
import { settingsHelp } from '../configuration/settings-table.ts'
import { makeFilesPrivate } from '../files/private-files.ts'
import type { Health } from '../health/health.ts'
import { createLogger, type Logger, type LogLevel, logLevels } from '../logs/logger.ts'
import { createSeldomLog } from '../logs/seldom.ts'
import { type NamedService, runUntilSignal } from './run-until-signal.ts'

export const processSettings = {
  bind: setting.text({
    env: 'SVC_BIND',
    valid: 'an address',
    default: '127.0.0.1',
    says: 'Address that every port of this process binds to.',
  }),
  logLevel: setting.choice(logLevels, { env: 'SVC_LOG_LEVEL', default: 'info', says: 'Lowest level that is logged.' }),
  logFormat: setting.choice(['auto', 'json', 'pretty'], {
    env: 'SVC_LOG_FORMAT',
    default: 'auto',
    says: 'Format of log lines. With auto, lines on a terminal are formatted for people, and all other lines are JSON.',
  }),
  drainGraceMs: setting.durationMs({
    env: 'SVC_DRAIN_GRACE_MS',
    default: '30s',
    min: 1000,
    max: 600_000,
    says: 'Maximum time from the stop signal to the end of the process. After this time, the process ends even if the drain is incomplete.',
  }),
  tracesUrl: setting.url({
    env: 'SVC_TRACES_URL',
    optional: true,
    says: 'URL to which this process sends traces of its own operations by OTLP over HTTP, for example https://collector:4318/v1/traces. If not set, the process sends no traces.',
  }),
  tracesHeaders: setting.secret({
    env: 'SVC_TRACES_HEADERS',
    valid: 'name=value,name=value; values percent-encoded',
    pattern: /^[^=,\s]+=[^,]*(,[^=,\s]+=[^,]*)*$/,
    optional: true,
    says: 'Additional headers of the requests to SVC_TRACES_URL, in the format of the variable OTEL_EXPORTER_OTLP_HEADERS.',
  }),
  tracesRatio: setting.ratio({
    env: 'SVC_TRACES_RATIO',
    default: 0.05,
    says: 'Share of the process’s own requests, fetches and commits that are traced.',
  }),
}

/** Programs can change the defaults. */
export interface ProcessSettings extends Settings {
  readonly bind: Setting<string>
  readonly logLevel: Setting<LogLevel>
  readonly logFormat: Setting<'auto' | 'json' | 'pretty'>
  readonly drainGraceMs: Setting<number>
  readonly tracesUrl: Setting<string | undefined>
  readonly tracesHeaders: Setting<string | undefined>
  readonly tracesRatio: Setting<number>
}

interface TracesOptions extends Pick<ValuesOf<ProcessSettings>, 'tracesUrl' | 'tracesHeaders' | 'tracesRatio'> {
  readonly service: string
  readonly logger: Logger
}

export interface ProcessContext {
  readonly settings: LoadedSettings
  readonly logger: Logger
  /** Reports an unexpected error. The process logs the error's stack and exits immediately. */
  readonly onBug: (error: unknown) => void
  /** Must be called after an unexpected error has broken the state that requests share. The process drains, and exits with 1. */
  readonly onBroken: (error: unknown) => void
}

export interface ProcessOptions {
  readonly service: string
  readonly summary: string
  /** Settings of the process, in the order in which `--help` lists them. */
  readonly settings: readonly Settings[]
  readonly process?: ProcessSettings
  readonly profile?: Profile
  readonly validate?: (loaded: LoadedSettings) => readonly string[]
  /** The environment variables of the process. The entry point reads these variables and passes them here. */
  readonly env: Environment
  /** Variables that only child processes read. */
  readonly alsoKnown?: readonly string[]
  /** If `create` throws an AppError, the process prints the message of the error and exits with 1. */
  readonly create: (context: ProcessContext) => {
    readonly services: readonly NamedService[]
    readonly health?: Health
  }
}

/**
 * Runs `work`. An operator can remove the cause of an AppError, so the process prints the message of the error and exits with 1. Any other
 * error is a bug and is rethrown, so that its stack is printed.
 */
function orRefuse<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!isAppError(error)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
}

/** Returns the service that sends traces, or an empty list if tracing is off. This service must start first and drain last. */
async function tracesOf(options: TracesOptions): Promise<readonly NamedService[]> {
  const { service, logger, tracesUrl: url, tracesHeaders: headers, tracesRatio: ratio } = options
  if (url === undefined) return []
  // This module is loaded only if tracing is on.
  const { startTracing } = await import('@svc-server/tracing/provider')
  const seldom = createSeldomLog(logger, Date.now, 'alsoCame')
  const onError = (error: unknown) =>
    seldom.note('traces', 'warn', { err: error }, 'Traces of this process could not be sent; only they are lost')
  const { stop } = startTracing({ url, headers, ratio, service, instance: `${hostname()}:${process.pid}`, onError })
  return [{ name: 'traces', start: async () => {}, drain: stop }]
}

/** Returns what is wrong with the arguments; undefined if they are valid. */
function argumentProblem(service: string, [argument]: readonly string[], env: Environment): string | undefined {
  if (argument === undefined) return undefined
  const script = env['npm_lifecycle_event']
  const help = script === undefined ? '--help' : `npm run ${script} -- --help`
  const isVariable = /^[A-Z][A-Z0-9_]*=/.test(argument)
  const where = isVariable ? 'Set variables before the command' : 'Settings are environment variables'
  return `${service}: there is no argument '${argument}'. ${where}; ${help} lists them.`
}

export async function runProcess(options: ProcessOptions): Promise<void> {
  const { service, summary, env, create, process: common = processSettings, validate, profile, alsoKnown } = options
  const parts = [...options.settings, common]
  makeFilesPrivate()
  const args = process.argv.slice(2)
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`${summary}\n\nSet by environment variables (NAME=default):\n\n${settingsHelp(...parts)}\n`)
    return
  }
  const problem = argumentProblem(service, args, env)
  if (problem !== undefined) {
    process.stderr.write(`${problem}\n`)
    process.exit(2)
  }
  const loadOptions = { service, ...(alsoKnown && { alsoKnown }), ...(profile && { profile }), ...(validate && { validate }) }
  const settings = orRefuse(() => loadSettings(parts, env, loadOptions))
  const { logFormat, logLevel, drainGraceMs } = settings.of(common)
  const pretty = logFormat === 'pretty' || (logFormat === 'auto' && process.stdout.isTTY === true)
  const logger = createLogger({ service, level: logLevel, pretty })
  for (const warning of settings.warnings) logger.warn(warning)
  logger.info({ config: settings.changed }, 'Settings that differ from their defaults')
  logger.debug({ config: settings.redacted }, 'Effective configuration')

  const onBug = (error: unknown) => {
    logger.fatal({ err: error }, 'A defect: the process exits; acknowledged records are on the log')
    process.exit(1)
  }
  const broken = Promise.withResolvers<void>()
  const onBroken = (error: unknown) => {
    logger.fatal({ err: error }, 'A defect in shared state: the process drains and exits')
    broken.resolve()
  }
  // If the parent process has ended, Ctrl-C no longer reaches this process. This process therefore stops itself.
  process.once('disconnect', () => process.emit('SIGTERM', 'SIGTERM'))
  const traces = await tracesOf({ service, logger, ...settings.of(common) })
  const { services, health } = orRefuse(() => create({ settings, logger, onBug, onBroken }))
  await runUntilSignal({
    services: [...traces, ...services],
    logger,
    graceMs: drainGraceMs,
    broken: broken.promise,
    ...(health && { health }),
  })
}
