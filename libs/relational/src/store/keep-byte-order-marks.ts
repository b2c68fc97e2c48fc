// Makes TextDecoder keep byte order marks. PGlite decodes each value with a separate TextDecoder, which would drop a byte order mark at the
// start of the text. This module must be imported before PGlite.

class WholeTextDecoder extends TextDecoder {
  constructor(label?: string, options?: ConstructorParameters<typeof TextDecoder>[1]) {
    super(label, { ...options, ignoreBOM: true })
  }
}

globalThis.TextDecoder = WholeTextDecoder
