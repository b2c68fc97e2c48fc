import { describe, expect, test } from 'vitest'
import { encodeStatus, encodeTraceResponse } from '../src/answer.ts'
import { decode } from './oracle.ts'

describe('responses', () => {
  test('a full success leaves partial_success unset', () => {
    expect(encodeTraceResponse('protobuf')).toHaveLength(0)
    expect(encodeTraceResponse('json').toString()).toBe('{}')
    expect(encodeTraceResponse('json', { rejectedSpans: 0, message: '' }).toString()).toBe('{}')
  })

  test('a partial success has its count as an int64, which is text in JSON', () => {
    const partial = { rejectedSpans: 300, message: 'span 3: ümlaut' }
    expect(decode('ExportTraceServiceResponse', encodeTraceResponse('protobuf', partial))).toEqual({
      partialSuccess: { rejectedSpans: '300', errorMessage: 'span 3: ümlaut' },
    })
    expect(JSON.parse(encodeTraceResponse('json', partial).toString())).toEqual({
      partialSuccess: { rejectedSpans: '300', errorMessage: 'span 3: ümlaut' },
    })
  })

  test('a warning is a message with zero rejected spans', () => {
    expect(decode('ExportTraceServiceResponse', encodeTraceResponse('protobuf', { rejectedSpans: 0, message: 'w' }))).toEqual({
      partialSuccess: { errorMessage: 'w' },
    })
  })

  test.each(['protobuf', 'json'] as const)('a %s response stays far below 4 MiB whatever the message', format => {
    const message = '\u0000'.repeat(5_000_000)
    expect(encodeTraceResponse(format, { rejectedSpans: 1, message }).length).toBeLessThan(1024 * 1024)
    expect(encodeStatus(format, 3, message).length).toBeLessThan(1024 * 1024)
  })

  test('truncation does not split a character', () => {
    const message = `${'x'.repeat(64 * 1024 - 1)}😀😀`
    expect(decode('RpcStatus', encodeStatus('protobuf', 3, message))['message']).toBe(`${'x'.repeat(64 * 1024 - 1)}…`)
  })

  test('encodes a status with details in both formats', () => {
    const details = { retryAfterMs: 1500, fieldViolations: [{ field: 'a.b', description: 'is wrong' }] }
    const decoded = decode('RpcStatus', encodeStatus('protobuf', 14, 'later', details)) as {
      details: { typeUrl: string; value: number[] }[]
    }
    expect(decoded).toMatchObject({ code: 14, message: 'later' })
    const [retry, bad] = decoded.details
    expect(retry?.typeUrl).toBe('type.googleapis.com/google.rpc.RetryInfo')
    expect(decode('RetryInfo', Buffer.from(retry!.value))).toEqual({ retryDelay: { seconds: '1', nanos: 500_000_000 } })
    expect(bad?.typeUrl).toBe('type.googleapis.com/google.rpc.BadRequest')
    expect(decode('BadRequest', Buffer.from(bad!.value))).toEqual({ fieldViolations: details.fieldViolations })
    expect(JSON.parse(encodeStatus('json', 14, 'later', details).toString())).toEqual({
      code: 14,
      message: 'later',
      details: [
        { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1.500s' },
        { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: details.fieldViolations },
      ],
    })
  })

  test('encodes a status without details', () => {
    expect(decode('RpcStatus', encodeStatus('protobuf', 16, 'who?'))).toEqual({ code: 16, message: 'who?' })
    expect(JSON.parse(encodeStatus('json', 16, 'who?').toString())).toEqual({ code: 16, message: 'who?' })
  })
})
