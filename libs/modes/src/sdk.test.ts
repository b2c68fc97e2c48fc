import { expect, test } from 'vitest'
import { isRealTimeSdk, parseSdkVersion, sdkLanguage, sdkUpgrade } from './sdk.ts'

test.each<[string, string | null]>([
  ['python', 'python'],
  ['svc-python', 'python'],
  ['Python', 'python'],
  [' python ', 'python'],
  ['javascript', 'javascript'],
  ['js', 'javascript'],
  ['typescript', 'javascript'],
  ['ts', 'javascript'],
  ['svc-js', 'javascript'],
  ['svc-ts', 'javascript'],
  ...['client', 'browser', 'core', 'langchain', 'otel', 'openai', 'tracing', 'vercel-ai-sdk'].map((name): [string, string] => [
    `@svc/${name}`,
    'javascript',
  ]),
  ['@svc/unknown', null],
  ['@svc/clientx', null],
  ['go', null],
  ['unknown', null],
  ['', null],
  ['constructor', null],
  ['__proto__', null],
])('the language of %j is %j', (name, language) => {
  expect(sdkLanguage(name)).toBe(language)
})

test.each([
  ['4.7.0', [4, 7, 0]],
  ['v5.4.0', [5, 4, 0]],
  ['4.7.0rc1', [4, 7, 0]],
  ['4.7.0a12', [4, 7, 0]],
  ['4.7.0b2', [4, 7, 0]],
  ['5.4.0-beta.1', [5, 4, 0]],
  ['5.4.0+build.7', [5, 4, 0]],
  ['5.4.0-rc.1+sha.abc', [5, 4, 0]],
  [' 5.4.0 ', [5, 4, 0]],
  ['10.20.30', [10, 20, 30]],
  ['4.7', null],
  ['4', null],
  ['4.7.0.1', null],
  ['4.7.x', null],
  ['4.7.0rc', null],
  ['4.7.0 beta', null],
  ['latest', null],
  ['unknown', null],
  ['', null],
])('parses version %j as %j', (text, version) => {
  expect(parseSdkVersion(text as string)).toEqual(version)
})

test.each([
  ['python', '4.6.99', false],
  ['python', '4.7.0', true],
  ['python', '4.7.0rc1', true],
  ['python', '4.10.0', true],
  ['python', '5.0.0', true],
  ['python', '3.99.0', false],
  ['python', 'unknown', false],
  ['javascript', '5.3.9', false],
  ['javascript', '5.4.0', true],
  ['javascript', '5.4.0-alpha.1', true],
  ['javascript', '5.11.1', true],
  ['javascript', '4.7.0', false],
  ['svc-js', '6.0.0', true],
  ['@svc/otel', '5.3.0', false],
  ['opentelemetry', '9.0.0', false],
  ['unknown', 'unknown', false],
])('%s %s sends in real time: %s', (name, version, realTime) => {
  expect(isRealTimeSdk(name, version)).toBe(realTime)
})

test.each([
  ['python', '2.60.10', /python 2\.60\.10 .*Python SDK 4\.7\.0 or newer/],
  ['svc-python', '1.0.0', /Python SDK 4\.7\.0/],
  ['python', '2.99.0rc1', /Python SDK 4\.7\.0/],
  ['svc-js', '3.39.2', /svc-js 3\.39\.2 .*JS\/TS SDK 5\.4\.0 or newer/],
  ['javascript', '1.0.0', /JS\/TS SDK 5\.4\.0/],
])('%s %s is too old for events_only, and the message names the required version', (name, version, sentence) => {
  expect(sdkUpgrade(name, version)).toMatch(sentence)
})

test.each([
  ['python', '3.0.0'],
  ['python', '3.0.0rc1'],
  ['python', '5.0.4'],
  ['javascript', '4.0.0'],
  ['svc-js', '5.11.1'],
  ['unknown', 'unknown'],
  ['go', '0.1.0'],
  ['python', 'two'],
])('%s %s needs no upgrade', (name, version) => {
  expect(sdkUpgrade(name, version)).toBe(undefined)
})
