// The row must show how many attributes, events and links the client dropped. Without these counts, an incomplete row would look complete.
import type { Span } from '@svc-server/testkit'
import { describe, expect, test } from 'vitest'
import { aSpan } from '../mapped-rows.ts'
import { explainBoth } from './explained.ts'

interface Dropped {
  readonly span?: Partial<Span>
  readonly scope?: object
  readonly resource?: object
}

const metadata = ({ span, scope, resource }: Dropped) =>
  explainBoth({
    resourceSpans: [{ resource: { ...resource }, scopeSpans: [{ scope: { name: 's', ...scope }, spans: [aSpan(span)] }] }],
  })[0]!.metadata

describe('2.13 dropped counts', () => {
  const attribute = (key: string) => ({ key, value: { stringValue: 'v' } })

  test.each<[string, Dropped, Readonly<Record<string, string>>]>([
    ['of the scope', { scope: { droppedAttributesCount: 3 } }, { 'scope.droppedAttributesCount': '3' }],
    ['of the resource', { resource: { droppedAttributesCount: 4 } }, { 'resource.droppedAttributesCount': '4' }],
    ['attributes of the span', { span: { droppedAttributesCount: 5 } }, { 'span.droppedAttributesCount': '5' }],
    ['events of the span', { span: { droppedEventsCount: 6 } }, { 'span.droppedEventsCount': '6' }],
    ['links of the span', { span: { droppedLinksCount: 4_294_967_295 } }, { 'span.droppedLinksCount': '4294967295' }],
    [
      'attributes of its events, together',
      { span: { events: [{ name: 'a', droppedAttributesCount: 4_294_967_295 }, { name: 'b' }, { name: 'c', droppedAttributesCount: 2 }] } },
      { 'span.events.droppedAttributesCount': '4294967297' },
    ],
    [
      'attributes of its links, together',
      { span: { links: [{ droppedAttributesCount: 7, attributes: [attribute('a')] }, { droppedAttributesCount: 1 }] } },
      { 'span.links.droppedAttributesCount': '8' },
    ],
    [
      'none',
      {
        span: {
          droppedAttributesCount: 0,
          droppedEventsCount: 0,
          droppedLinksCount: 0,
          events: [{ droppedAttributesCount: 0 }],
          links: [],
        },
        scope: { droppedAttributesCount: 0 },
        resource: { droppedAttributesCount: 0 },
      },
      {},
    ],
  ])('2.13 %s', (_, request, expected) => {
    expect(metadata(request)).toEqual({ 'scope.name': 's', ...expected })
    expect(metadata({ ...request, scope: { ...request.scope, name: 'svc-sdk' } })).toEqual({ 'scope.name': 'svc-sdk', ...expected })
  })

  test('2.13 each count applies only to its own span, scope or resource', () => {
    const spans = [aSpan({ droppedAttributesCount: 1 }), aSpan({ spanId: 'b7ad6b7169203332' })]
    const rows = explainBoth({
      resourceSpans: [
        {
          resource: { droppedAttributesCount: 2 } as object,
          scopeSpans: [
            { scope: { name: 'a', droppedAttributesCount: 3 } as object, spans },
            { scope: { name: 'b' }, spans: [spans[1]!] },
          ],
        },
        { scopeSpans: [{ scope: { name: 'c' }, spans: [spans[1]!] }] },
      ],
    })
    expect(rows.map(row => row.metadata)).toEqual([
      {
        'resource.droppedAttributesCount': '2',
        'scope.name': 'a',
        'scope.droppedAttributesCount': '3',
        'span.droppedAttributesCount': '1',
      },
      { 'resource.droppedAttributesCount': '2', 'scope.name': 'a', 'scope.droppedAttributesCount': '3' },
      { 'resource.droppedAttributesCount': '2', 'scope.name': 'b' },
      { 'scope.name': 'c' },
    ])
  })
})
