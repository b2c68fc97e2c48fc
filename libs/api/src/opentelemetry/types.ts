import { z } from 'zod'
import { listOf, storedText } from '../fields/fields.ts'

export const OtelAttributeValue = z
  .object({
    stringValue: storedText.nullish(),
    intValue: z.int().nullish(),
    doubleValue: z.number().nullish(),
    boolValue: z.boolean().nullish(),
  })
  .meta({ id: 'OtelAttributeValue' })

export const OtelAttribute = z
  .object({
    key: storedText.nullish(),
    value: OtelAttributeValue.nullish(),
  })
  .meta({ id: 'OtelAttribute' })

export const OtelResource = z
  .object({
    attributes: listOf(OtelAttribute).nullish(),
  })
  .meta({ id: 'OtelResource' })

export const OtelScope = z
  .object({
    name: storedText.nullish(),
    version: storedText.nullish(),
    attributes: listOf(OtelAttribute).nullish(),
  })
  .meta({ id: 'OtelScope' })

export const OtelSpan = z
  .object({
    traceId: z.unknown().optional(),
    spanId: z.unknown().optional(),
    parentSpanId: z.unknown().optional(),
    name: storedText.nullish(),
    kind: z.int().nullish(),
    startTimeUnixNano: z.unknown().optional(),
    endTimeUnixNano: z.unknown().optional(),
    attributes: listOf(OtelAttribute).nullish(),
    status: z.unknown().optional(),
  })
  .meta({ id: 'OtelSpan' })

export const OtelScopeSpan = z
  .object({
    scope: OtelScope.nullish(),
    spans: listOf(OtelSpan).nullish(),
  })
  .meta({ id: 'OtelScopeSpan' })

export const OtelResourceSpan = z
  .object({
    resource: OtelResource.nullish(),
    scopeSpans: listOf(OtelScopeSpan).nullish(),
  })
  .meta({ id: 'OtelResourceSpan' })

export const OtelTraceRequest = z
  .object({
    resourceSpans: listOf(OtelResourceSpan),
  })
  .meta({ id: 'OtelTraceRequest' })

export const OtelTraceResponse = z.object({}).meta({ id: 'OtelTraceResponse' })
