// What may be on the log, and what becomes of it: settings on which who writes records and who reads them must agree.
import { brandAliasesOf, brandAliasesValid, brandAliasPattern } from '@svc-server/schema/brand'
import { mapped, setting } from '@svc-server/service/configuration'

const MiB = 1024 * 1024

export const maxRowBytes = setting.bytes({
  env: 'SVC_MAX_ROW_BYTES',
  default: '256MiB',
  min: MiB,
  max: 4096 * MiB,
  says:
    'Bytes of rows that a request may become (span, resource, scope; 2 KiB at least): above it 413, on the log dead letters. ' +
    'The same everywhere.',
})

export const maxWork = setting.integer({
  env: 'SVC_MAX_REQUEST_WORK',
  default: 3_000_000,
  min: 100_000,
  max: 1_000_000_000,
  says:
    'Units of work (about a microsecond each at worst) that mapping a request may take: attributes, values in lists and in JSON ' +
    'texts. Above it 413, on the log dead letters. The same everywhere.',
})

export const spanMaxAgeMonths = setting.integer({
  env: 'SVC_SPAN_MAX_AGE_MONTHS',
  default: 36,
  min: 1,
  max: 96,
  says: 'Spans, events and scores of longer ago are rejected: by partial success, or one by one.',
})

export const brandAliases = mapped(
  setting.text({
    env: 'SVC_BRAND_ALIASES',
    optional: true,
    valid: brandAliasesValid,
    pattern: brandAliasPattern,
    says: 'Brands whose headers, attributes, scope and SDK names are read as if they were written with svc. Not set: none.',
  }),
  brandAliasesOf,
)
