// Some combinations of migration variables would lose or hide data (contract §3.1). No service may start with such a combination.
import { loadSettings } from '@svc-server/service/configuration'
import { expect, test } from 'vitest'
import { services } from '../src/services.ts'
import { standaloneProblems, standaloneSettings } from '../src/settings.ts'

const variables = ['WRITE_MODE', 'NATIVE_OTEL_BEHAVIOUR', 'ALLOW_PREVIEW_OPT_IN']
const envOf = (values: readonly string[]) => Object.fromEntries(values.map((value, at) => [`SVC_MIGRATION_V4_${variables[at]}`, value]))

const invalid = [
  ['legacy', 'direct', 'false', 'set SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR=dual_write'],
  ['legacy', 'dual_write', 'true', 'set SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN=false'],
  ['events_only', 'dual_write', 'true', 'set SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR=direct'],
  ['events_only', 'direct', 'false', 'set SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN=true'],
]
const valid = [
  ['legacy', 'dual_write', 'false'],
  ['dual', 'direct', 'true'],
  ['dual', 'dual_write', 'false'],
  ['events_only', 'direct', 'true'],
]

test.each(services.flatMap(service => invalid.map(row => [service.name, service, row] as const)))(
  '%s ends on an invalid combination (%#)',
  (_, { name, variables, problems }, [writeMode, behaviour, optIn, sentence]) => {
    const load = () => loadSettings([variables], envOf([writeMode!, behaviour!, optIn!]), { service: name, validate: problems })
    expect(load).toThrow(sentence)
  },
)

test.each(services.flatMap(service => valid.map(row => [service.name, service, row] as const)))(
  '%s takes a valid one (%#)',
  (_, { name, variables, problems }, row) => {
    expect(() => loadSettings([variables], envOf(row), { service: name, validate: problems })).not.toThrow()
  },
)

test('in one process the error is printed once', () => {
  const options = { service: 'standalone', profile: 'embedded', validate: standaloneProblems } as const
  const load = () => loadSettings(standaloneSettings, envOf(['legacy', 'direct', 'false']), options)
  expect(load).toThrow(/^[^-]*\n- With SVC_MIGRATION_V4_WRITE_MODE=legacy: [^\n]*dual_write[^\n]*$/)
})
