// Indexes long JSON outside the main thread.
import { scanJson } from './scan.ts'

addEventListener('message', ({ data }: MessageEvent<string>) => {
  const index = scanJson(data)
  postMessage(index ?? null, {
    transfer: index === undefined ? [] : [...new Set(Object.values(index).map(each => (each as Int32Array).buffer as ArrayBuffer))],
  })
})
