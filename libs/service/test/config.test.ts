import { AppError } from '@svc-server/errors'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { printBytes } from '../src/configuration/formats.ts'
import {
  type LoadedSettings,
  loadSettings,
  mapped,
  type Setting,
  setting,
  settingsHelp,
  settingsTable,
} from '../src/configuration/index.ts'

const says = 'What it is.'
const variables = {
  otlpPort: setting.port({ env: 'SVC_OTLP_PORT', default: 4318, says: 'Port of both OTLP paths.' }),
  windowSeconds: setting.seconds({
    env: 'SVC_PROPAGATION_WINDOW_SECONDS',
    default: 180,
    min: 5,
    max: 3600,
    says: 'Length of a propagation window.',
  }),
  maxBodyBytes: setting.bytes({
    env: 'SVC_MAX_BODY_BYTES',
    default: '64MiB',
    min: 1024,
    max: 256 * 1024 ** 2,
    says: 'Largest body, decoded.',
  }),
  log: setting.choice(['embedded', 'kafka'], { env: 'SVC_LOG', default: 'embedded', says: 'Where the event log is.' }),
  brokers: setting.list({ env: 'SVC_KAFKA_BROKERS', optional: true, says: 'Addresses | of brokers.' }),
  saslPassword: setting.secret({ env: 'SVC_KAFKA_SASL_PASSWORD', optional: true, says: 'Password.' }),
  columnStoreUrl: setting.url({ env: 'COLUMNSTORE_URL', says: 'Address of the column store.' }),
  salt: setting.secret({ env: 'SALT', valid: '8 characters or more', pattern: /^.{8,}$/, says: 'Salt of the key hashes.' }),
}
const valid = { COLUMNSTORE_URL: 'http://svc:pw@127.0.0.1:8123', SALT: 'pepper-pepper' }
const load = (env: Record<string, string>) => loadSettings([variables], { ...valid, ...env }, { service: 'gateway' })

const refusal = (env: Record<string, string>): AppError => {
  try {
    load(env)
  } catch (error) {
    return error as AppError
  }
  throw new Error('accepted')
}

test('loads settings with their defaults, units and types', () => {
  const config = load({ SVC_MAX_BODY_BYTES: '1.5MiB', SVC_KAFKA_BROKERS: 'a:1, b:2,' }).of(variables)
  expect(config).toEqual({
    otlpPort: 4318,
    windowSeconds: 180,
    maxBodyBytes: 1_572_864,
    log: 'embedded',
    brokers: ['a:1', 'b:2'],
    saslPassword: undefined,
    columnStoreUrl: 'http://svc:pw@127.0.0.1:8123',
    salt: 'pepper-pepper',
  })
  expectTypeOf(config.log).toEqualTypeOf<'embedded' | 'kafka'>()
  expectTypeOf(config.otlpPort).toEqualTypeOf<number>()
  expectTypeOf(config.brokers).toEqualTypeOf<readonly string[] | undefined>()
})

test('treats an empty variable as unset, and ignores blanks around a value', () => {
  expect(load({ SVC_OTLP_PORT: ' ', SVC_LOG: ' kafka ' }).of(variables)).toMatchObject({ otlpPort: 4318, log: 'kafka' })
})

test('reports all errors at once, each with the variable, its value and the valid values', () => {
  const error = refusal({
    SVC_OTLP_PORT: '70000',
    SVC_PROPAGATION_WINDOW_SECONDS: '3m',
    SVC_MAX_BODY_BYTES: '1TiB',
    SVC_LOG: 'redis',
    COLUMNSTORE_URL: '',
  })
  expect(error).toBeInstanceOf(AppError)
  expect(error.code).toBe('config_invalid')
  expect(error.message.split('\n')).toEqual([
    'The configuration of gateway is invalid:',
    '- SVC_OTLP_PORT="70000": expected a port, from 0 to 65535.',
    '- SVC_PROPAGATION_WINDOW_SECONDS="3m": expected whole seconds, from 5 to 3600.',
    '- SVC_MAX_BODY_BYTES="1TiB": expected a number of bytes, or a size in KiB, MiB, GiB, KB, MB or GB, from 1KiB to 256MiB.',
    '- SVC_LOG="redis": expected one of embedded, kafka.',
    '- COLUMNSTORE_URL is not set: expected a URL that starts with http:// or https://.',
  ])
})

test('never prints an invalid secret', () => {
  const { message } = refusal({ SALT: 'hunter2' })
  expect(message).toContain('SALT=***: expected 8 characters or more.')
  expect(message).not.toContain('hunter2')
})

test('hides the password of an invalid URL', () => {
  expect(refusal({ COLUMNSTORE_URL: 'tcp://svc:hunter2@127.0.0.1:9000' }).message).not.toContain('hunter2')
})

test('checks combinations of variables only when each variable is valid, and reports a conflict as a separate sentence', () => {
  const validate = (loaded: LoadedSettings) => {
    const { log, brokers } = loaded.of(variables)
    return log === 'kafka' && brokers === undefined ? ['SVC_LOG=kafka needs SVC_KAFKA_BROKERS.'] : []
  }
  const check = (env: Record<string, string>) =>
    loadSettings([variables], { ...valid, SVC_LOG: 'kafka', ...env }, { service: 'gateway', validate })
  expect(() => check({})).toThrow('- SVC_LOG=kafka needs SVC_KAFKA_BROKERS.')
  expect(() => check({ SVC_OTLP_PORT: 'x' })).toThrow(/is invalid:\n- SVC_OTLP_PORT="x": [^\n]*$/)
  expect(check({ SVC_KAFKA_BROKERS: 'a:1' }).of(variables).log).toBe('kafka')
})

test('two parts of a process may share a setting, but may not declare different settings for one variable', () => {
  const shared = loadSettings([{ mine: variables.otlpPort }, { theirs: variables.otlpPort }], { SVC_OTLP_PORT: '1' }, { service: 'x' })
  expect(shared.of({ theirs: variables.otlpPort })).toEqual({ theirs: 1 })
  const another = setting.port({ env: 'SVC_OTLP_PORT', default: 1, says })
  expect(() => loadSettings([variables, { another }], valid, { service: 'x' })).toThrow('SVC_OTLP_PORT is defined twice, differently')
})

test('a default may depend on the profile, and mapped converts a value for the code', () => {
  const chunk = setting.bytes({ env: 'SVC_CHUNK', default: { embedded: '32MiB', remote: '180MiB' }, says })
  const part = {
    chunk,
    windowMs: mapped(variables.windowSeconds, seconds => seconds * 1000),
    none: mapped(variables.brokers, (all = []) => all),
  }
  const of = (profile: 'embedded' | 'remote') => loadSettings([part], {}, { service: 'x', profile }).of(part)
  expect(of('embedded')).toEqual({ chunk: 32 * 1024 ** 2, windowMs: 180_000, none: [] })
  expect(of('remote').chunk).toBe(180 * 1024 ** 2)
  expect(settingsHelp({ chunk })).toBe(
    '  SVC_CHUNK=180MiB, embedded 32MiB\n      What it is. Valid: a number of bytes, or a size in KiB, MiB, GiB, KB, MB or GB, at least 0.',
  )
})

test('reports unknown variables of the product with the closest known name, and ignores other variables', () => {
  const { unknown, warnings } = loadSettings(
    [variables],
    {
      ...valid,
      SVC_OTLP_PROT: '1',
      SVC_ZZZZZZZZ: '1',
      COLUMNSTORE_URI: 'http://a',
      COLUMNSTORE_FOO: '1',
      SVC_BIND: '::1',
      HOME: '/',
      OTEL_X: '1',
      DATABASE_HOST: 'a',
    },
    { service: 'gateway', alsoKnown: ['SVC_BIND'] },
  )
  expect(unknown).toEqual(['COLUMNSTORE_FOO', 'COLUMNSTORE_URI', 'SVC_OTLP_PROT', 'SVC_ZZZZZZZZ'])
  expect(warnings).toEqual([
    'COLUMNSTORE_FOO is not a variable of gateway and has no effect.',
    'COLUMNSTORE_URI is not a variable of gateway and has no effect. Did you mean COLUMNSTORE_URL?',
    'SVC_OTLP_PROT is not a variable of gateway and has no effect. Did you mean SVC_OTLP_PORT?',
    'SVC_ZZZZZZZZ is not a variable of gateway and has no effect.',
  ])
})

test('prints the effective configuration with hidden secrets and readable sizes', () => {
  const { redacted } = load({ SVC_KAFKA_SASL_PASSWORD: 'hunter2' })
  expect(redacted).toEqual({
    SVC_OTLP_PORT: '4318',
    SVC_PROPAGATION_WINDOW_SECONDS: '180',
    SVC_MAX_BODY_BYTES: '64MiB',
    SVC_LOG: 'embedded',
    SVC_KAFKA_SASL_PASSWORD: '***',
    COLUMNSTORE_URL: 'http://svc:***@127.0.0.1:8123',
    SALT: '***',
  })
})

test('detects settings that differ from the default of the profile, whatever their spelling, and every secret that is set', () => {
  const { changed } = load({ SVC_KAFKA_SASL_PASSWORD: 'hunter2', SVC_OTLP_PORT: '4319', SVC_MAX_BODY_BYTES: '65536 KiB' })
  const required = { COLUMNSTORE_URL: 'http://svc:***@127.0.0.1:8123', SALT: '***' }
  expect(changed).toEqual({ SVC_OTLP_PORT: '4319', SVC_KAFKA_SASL_PASSWORD: '***', ...required })
  const chunk = { chunk: setting.bytes({ env: 'SVC_CHUNK', default: { embedded: '32MiB', remote: '180MiB' }, says }) }
  const changedIn = (profile: 'embedded' | 'remote') => loadSettings([chunk], { SVC_CHUNK: '32MiB' }, { service: 's', profile }).changed
  expect([changedIn('embedded'), changedIn('remote')]).toEqual([{}, { SVC_CHUNK: '32MiB' }])
})

test('generates the settings table of a README', () => {
  const rows = settingsTable(variables)
    .split('\n')
    .map(line => line.replaceAll(/ +/g, ' '))
  expect(rows.slice(0, 3)).toEqual([
    '| Variable | Default | Valid | Meaning |',
    expect.stringMatching(/^\| -+ \| -+ \| -+ \| -+ \|$/),
    '| `SVC_OTLP_PORT` | `4318` | a port, from 0 to 65535 | Port of both OTLP paths. |',
  ])
  expect(rows).toContain(
    '| `SVC_MAX_BODY_BYTES` | `64MiB` | a number of bytes, or a size in KiB, MiB, GiB, KB, MB or GB, from 1KiB to 256MiB | Largest body, decoded. |',
  )
  expect(rows).toContain('| `SVC_KAFKA_BROKERS` | | a comma-separated list | Addresses \\| of brokers. |')
  expect(rows).toContain('| `SVC_KAFKA_SASL_PASSWORD` | | a secret | Password. |')
  expect(rows).toContain('| `SALT` | **required** | 8 characters or more | Salt of the key hashes. |')
})

describe('formats', () => {
  const env = 'SVC_X'
  const accepted: readonly (readonly [string, Setting<unknown>, string, unknown])[] = [
    ['port', setting.port({ env, says }), '0', 0],
    ['seconds', setting.seconds({ env, says }), '0', 0],
    ['minutes', setting.minutes({ env, says, min: 1 }), '15', 15],
    ['durationMs', setting.durationMs({ env, says }), '250', 250],
    ['durationMs', setting.durationMs({ env, says }), '2s', 2_000],
    ['durationMs', setting.durationMs({ env, says }), '7d', 604_800_000],
    ['bytes', setting.bytes({ env, says }), '1048576', 1_048_576],
    ['bytes', setting.bytes({ env, says }), '64 MiB', 67_108_864],
    ['bytes', setting.bytes({ env, says }), '64mb', 64_000_000],
    ['flag', setting.flag({ env, says }), 'TRUE', true],
    ['flag', setting.flag({ env, says }), '0', false],
    ['integer', setting.integer({ env, says, min: -3 }), '-3', -3],
    ['ratio', setting.ratio({ env, says }), '0.25', 0.25],
    ['text', setting.text({ env, says, valid: 'lower case', pattern: /^[a-z]+$/ }), 'abc', 'abc'],
    ['url', setting.url({ env, says, protocols: ['postgres', 'postgresql'] }), 'postgresql://h/db', 'postgresql://h/db'],
  ]
  test.each(accepted)('%s accepts %#', (_, block, value, expected) => {
    expect(block.read(value)?.value).toBe(expected)
  })

  const refused: readonly (readonly [string, Setting<unknown>, readonly string[]])[] = [
    ['port', setting.port({ env, says }), ['-1', '65536', '80.5', '0x50', 'http']],
    ['seconds', setting.seconds({ env, says }), ['-1', '1.5', '1s', '1e3', '9'.repeat(20)]],
    ['durationMs', setting.durationMs({ env, says, max: 1000 }), ['2s', '-1', '1w', '']],
    ['bytes', setting.bytes({ env, says }), ['-1', '1.0000001KiB', '0.5', '1 PiB', 'MiB', `${'9'.repeat(15)}TiB`]],
    ['flag', setting.flag({ env, says }), ['yes', 'on', '2', '']],
    ['integer', setting.integer({ env, says, min: 1, max: 3 }), ['0', '4', '1.0']],
    ['ratio', setting.ratio({ env, says, isPositive: true }), ['0', '0.0', '.0', '1.5']],
    ['ratio', setting.ratio({ env, says }), ['1.5', '-0.1', '1e-1']],
    ['url', setting.url({ env, says }), ['localhost:8123', 'ftp://x', '//x', 'http://']],
  ]
  test.each(refused)('%s rejects invalid text', (_, block, values) => {
    for (const value of values) expect({ value, accepted: block.read(value) !== undefined }).toEqual({ value, accepted: false })
  })

  test('parses every size that it prints', () => {
    for (const value of [0, 1, 1023, 1024, 1536, 64 * 1024 ** 2, 3 * 1024 ** 3])
      expect(setting.bytes({ env, says }).read(printBytes(value))?.value).toBe(value)
  })
})
