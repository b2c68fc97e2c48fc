import { expect, test } from 'vitest'
import { createBrandNames } from './brand.ts'
import { sdkOf, svcHeader } from './svc-headers.ts'

test('reads headers in both spellings', () => {
  expect(svcHeader({ 'x-svc-ingestion-version': '4' }, 'ingestion-version')).toBe('4')
  expect(svcHeader({ x_svc_ingestion_version: '4' }, 'ingestion-version')).toBe('4')
  expect(svcHeader({}, 'ingestion-version')).toBeUndefined()
})

test('F32 · a header in both spellings stays visible as a repeated one', () => {
  expect(svcHeader({ 'x-svc-ingestion-version': '4', x_svc_ingestion_version: '3' }, 'ingestion-version')).toEqual(['4', '3'])
})

test('an SDK without headers is unknown, and the length of its headers is bounded', () => {
  expect(sdkOf({})).toEqual({ name: 'unknown', version: 'unknown' })
  expect(sdkOf({ 'x-svc-sdk-name': '  ' })).toEqual({ name: 'unknown', version: 'unknown' })
  expect(sdkOf({ x_svc_sdk_name: 'python', 'x-svc-sdk-version': '2.60.10' })).toEqual({ name: 'python', version: '2.60.10' })
  expect(sdkOf({ 'x-svc-sdk-name': 'x'.repeat(9000) }).name).toHaveLength(128)
})

test('brand aliases apply to headers in both spellings and to SDK names', () => {
  const brand = createBrandNames(['acme', 'globex'])
  expect(svcHeader({ 'x-acme-ingestion-version': '4' }, 'ingestion-version', brand)).toBe('4')
  expect(svcHeader({ x_globex_ingestion_version: '4' }, 'ingestion-version', brand)).toBe('4')
  expect(svcHeader({ 'x-svc-ingestion-version': '4', 'x-acme-ingestion-version': '3' }, 'ingestion-version', brand)).toEqual(['4', '3'])
  expect(svcHeader({ 'x-acme-ingestion-version': '4' }, 'ingestion-version')).toBeUndefined()
  expect(sdkOf({ 'x-acme-sdk-name': 'acme-js', 'x-acme-sdk-version': '3.39.2' }, brand)).toEqual({ name: 'svc-js', version: '3.39.2' })
  expect(sdkOf({ 'x-globex-sdk-name': 'python' }, brand).name).toBe('python')
})
