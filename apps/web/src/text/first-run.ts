// Sentences for the page of a project without rows.

export const firstRunText = {
  title: 'Send your first span',
  listening: (address: string) => `Listening on ${address}`,
  withKey: 'with',
  noSecret: 'A secret is shown only once, when its key is created. Replace sk-... with your secret, or:',
  makeKey: 'Create a key and fill it in',
  made: 'This secret is shown only once. Copy it now.',
  copy: 'Copy',
  copied: 'Copied',
  ways: 'Ways to send',
  snippets: [
    { id: 'curl', title: 'curl' },
    { id: 'otlp', title: 'OTLP env' },
    { id: 'js', title: 'JavaScript' },
    { id: 'python', title: 'Python' },
  ],
  examples: 'Nothing to send yet? Look at example traces of a support agent.',
  sendExamples: 'Send example traces',
  examplesSent: (count: string) => `${count} example traces are on their way. They have the tag “example”; Settings removes them.`,
  examplesRefused: (status: number, why: string) => `The server responded ${status}: ${why.slice(0, 200)}`,
  waiting: 'Waiting for the first row…',
  arrived: (count: number) => (count === 1 ? '1 observation has arrived.' : `${count} observations have arrived.`),
  open: 'Show them',
} as const

const spansOf = (count: number): string => (count === 1 ? '1 span' : `${count} spans`)

export const arrivalsText = {
  title: 'Last requests',
  accepted: (spans: number) => `${spansOf(spans)} accepted`,
  onTheLog: (after: string) => `on the log after ${after}`,
  row: 'row',
  rowWaits: 'waiting for the row',
  open: 'Open trace',
  wrongSecret: (key: string) => `Wrong secret for ${key}`,
  times: (requests: number) => `${requests} times so far`,
} as const
