import { AppError } from '@svc-server/errors'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import {
  bytes,
  choice,
  durationMs,
  envTable,
  flag,
  integer,
  list,
  loadConfig,
  minutes,
  port,
  printBytes,
  ratio,
  seconds,
  secret,
  text,
  url,
} from '../src/configuration/index.ts'

const schema = z.object({
  SVC_OTLP_PORT: port().default(4318).describe('Port of both OTLP paths.'),
  SVC_PROPAGATION_WINDOW_SECONDS: seconds({ min: 5, max: 3600 }).default(180).describe('Length of a propagation window.'),
  SVC_MAX_BODY_BYTES: bytes({ min: 1024, max: 256 * 1024 ** 2 })
    .default(64 * 1024 ** 2)
    .describe('Largest body, decoded.'),
  SVC_LOG: choice(['embedded', 'kafka']).default('embedded').describe('Where the event log is.'),
  SVC_KAFKA_BROKERS: list().optional().describe('Addresses | of brokers.'),
  SVC_KAFKA_SASL_PASSWORD: secret().optional().describe('Password.'),
  COLUMNSTORE_URL: url().describe('Address of the column store.'),
  SALT: secret('8 characters or more', /^.{8,}$/).describe('Salt of the key hashes.'),
})
const valid = { COLUMNSTORE_URL: 'http://svc:pw@127.0.0.1:8123', SALT: 'pepper-pepper' }
const load = (env: Record<string, string>) => loadConfig(schema, { ...valid, ...env }, { service: 'gateway' })

const refusal = (env: Record<string, string>): AppError => {
  try {
    load(env)
  } catch (error) {
    return error as AppError
  }
  throw new Error('accepted')
}

test('defaults, units and types', () => {
  const { config } = load({ SVC_MAX_BODY_BYTES: '1.5MiB', SVC_KAFKA_BROKERS: 'a:1, b:2,' })
  expect(config).toEqual({
    SVC_OTLP_PORT: 4318,
    SVC_PROPAGATION_WINDOW_SECONDS: 180,
    SVC_MAX_BODY_BYTES: 1_572_864,
    SVC_LOG: 'embedded',
    SVC_KAFKA_BROKERS: ['a:1', 'b:2'],
    COLUMNSTORE_URL: 'http://svc:pw@127.0.0.1:8123',
    SALT: 'pepper-pepper',
  })
  expectTypeOf(config.SVC_LOG).toEqualTypeOf<'embedded' | 'kafka'>()
  expectTypeOf(config.SVC_OTLP_PORT).toEqualTypeOf<number>()
  expectTypeOf(config.SVC_KAFKA_BROKERS).toEqualTypeOf<readonly string[] | undefined>()
})

test('an empty variable is not set, and blanks around a value do not matter', () => {
  expect(load({ SVC_OTLP_PORT: ' ', SVC_LOG: ' kafka ' }).config).toMatchObject({ SVC_OTLP_PORT: 4318, SVC_LOG: 'kafka' })
})

test('all errors come at once; each names the variable, its value and what is valid', () => {
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
    '- SVC_OTLP_PORT="70000": expected a port, 0 to 65535.',
    '- SVC_PROPAGATION_WINDOW_SECONDS="3m": expected whole seconds, 5 to 3600.',
    '- SVC_MAX_BODY_BYTES="1TiB": expected bytes (or with KiB, MiB, GiB, KB, MB, GB), 1KiB to 256MiB.',
    '- SVC_LOG="redis": expected one of embedded, kafka.',
    '- COLUMNSTORE_URL is not set: expected a URL that starts with http:// or https://.',
  ])
})

test('a wrong secret is not printed', () => {
  const { message } = refusal({ SALT: 'hunter2' })
  expect(message).toContain('SALT=***: expected 8 characters or more.')
  expect(message).not.toContain('hunter2')
})

test('a wrong URL does not show its password', () => {
  expect(refusal({ COLUMNSTORE_URL: 'tcp://svc:hunter2@127.0.0.1:9000' }).message).not.toContain('hunter2')
})

test('a check over several variables is a sentence of its own', () => {
  const combined = schema.superRefine((config, context) => {
    if (config.SVC_LOG !== 'kafka' || config.SVC_KAFKA_BROKERS !== undefined) return
    context.addIssue({ code: 'custom', message: 'SVC_LOG=kafka needs SVC_KAFKA_BROKERS.' })
  })
  expect(() => loadConfig(combined, { ...valid, SVC_LOG: 'kafka' }, { service: 'gateway' })).toThrow(
    '- SVC_LOG=kafka needs SVC_KAFKA_BROKERS.',
  )
})

test('unknown SVC_ variables are reported with the name that was probably meant; others are not ours', () => {
  const { unknown, warnings } = loadConfig(
    schema,
    { ...valid, SVC_OTLP_PROT: '1', SVC_ZZZZZZZZ: '1', SVC_BIND: '::1', HOME: '/', OTEL_X: '1' },
    { service: 'gateway', alsoKnown: ['SVC_BIND'] },
  )
  expect(unknown).toEqual(['SVC_OTLP_PROT', 'SVC_ZZZZZZZZ'])
  expect(warnings).toEqual([
    'SVC_OTLP_PROT is not a variable of gateway and has no effect. Did you mean SVC_OTLP_PORT?',
    'SVC_ZZZZZZZZ is not a variable of gateway and has no effect.',
  ])
})

test('the effective configuration is printable: secrets are hidden, sizes are readable', () => {
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

test('the table of a README', () => {
  const rows = envTable(schema)
    .split('\n')
    .map(line => line.replaceAll(/ +/g, ' '))
  expect(rows.slice(0, 3)).toEqual([
    '| Variable | Default | Valid | Meaning |',
    expect.stringMatching(/^\| -+ \| -+ \| -+ \| -+ \|$/),
    '| `SVC_OTLP_PORT` | `4318` | a port, 0 to 65535 | Port of both OTLP paths. |',
  ])
  expect(rows).toContain(
    '| `SVC_MAX_BODY_BYTES` | `64MiB` | bytes (or with KiB, MiB, GiB, KB, MB, GB), 1KiB to 256MiB | Largest body, decoded. |',
  )
  expect(rows).toContain('| `SVC_KAFKA_BROKERS` | | a comma-separated list | Addresses \\| of brokers. |')
  expect(rows).toContain('| `SVC_KAFKA_SASL_PASSWORD` | | a secret | Password. |')
  expect(rows).toContain('| `SALT` | **required** | 8 characters or more | Salt of the key hashes. |')
})

describe('building blocks', () => {
  const accepted: readonly (readonly [string, z.ZodType, string, unknown])[] = [
    ['port', port(), '0', 0],
    ['seconds', seconds(), '0', 0],
    ['minutes', minutes({ min: 1 }), '15', 15],
    ['durationMs', durationMs(), '250', 250],
    ['durationMs', durationMs(), '2s', 2_000],
    ['durationMs', durationMs(), '7d', 604_800_000],
    ['bytes', bytes(), '1048576', 1_048_576],
    ['bytes', bytes(), '64 MiB', 67_108_864],
    ['bytes', bytes(), '64mb', 64_000_000],
    ['flag', flag(), 'TRUE', true],
    ['flag', flag(), '0', false],
    ['integer', integer({ min: -3 }), '-3', -3],
    ['ratio', ratio(), '0.25', 0.25],
    ['text', text('lower case', /^[a-z]+$/), 'abc', 'abc'],
    ['url', url(['postgres', 'postgresql']), 'postgresql://h/db', 'postgresql://h/db'],
  ]
  test.each(accepted)('%s takes %#', (_, block, value, expected) => {
    expect(block.parse(value)).toBe(expected)
  })

  const refused: readonly (readonly [string, z.ZodType, readonly string[]])[] = [
    ['port', port(), ['-1', '65536', '80.5', '0x50', 'http']],
    ['seconds', seconds(), ['-1', '1.5', '1s', '1e3', '9'.repeat(20)]],
    ['durationMs', durationMs({ max: 1000 }), ['2s', '-1', '1w', '']],
    ['bytes', bytes(), ['-1', '1.0000001KiB', '0.5', '1 PiB', 'MiB', `${'9'.repeat(15)}TiB`]],
    ['flag', flag(), ['yes', 'on', '2', '']],
    ['integer', integer({ min: 1, max: 3 }), ['0', '4', '1.0']],
    ['ratio', ratio(), ['1.5', '-0.1', '1e-1']],
    ['url', url(), ['localhost:8123', 'ftp://x', '//x', 'http://']],
  ]
  test.each(refused)('%s refuses nonsense', (_, block, values) => {
    for (const value of values) expect({ value, accepted: block.safeParse(value).success }).toEqual({ value, accepted: false })
  })

  test('printed bytes are read back', () => {
    for (const value of [0, 1, 1023, 1024, 1536, 64 * 1024 ** 2, 3 * 1024 ** 3]) expect(bytes().parse(printBytes(value))).toBe(value)
  })
})
