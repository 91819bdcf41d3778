const tickMs = 5

/** The longest time in milliseconds for which the event loop did not turn while `work` was under way. */
export async function longestGapMs(work: () => unknown): Promise<number> {
  let lastMs = performance.now()
  let longestMs = 0
  const look = () => {
    const nowMs = performance.now()
    longestMs = Math.max(longestMs, nowMs - lastMs)
    lastMs = nowMs
  }
  const timer = setInterval(look, tickMs)
  try {
    await work()
    look()
    return longestMs
  } finally {
    clearInterval(timer)
  }
}
