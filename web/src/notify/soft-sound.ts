/** Two short soft notes, made by the browser itself. */
const NOTES = [659.3, 880];
const NOTE_SECONDS = 0.16;
const LOUDNESS = 0.06;

let context: AudioContext | undefined;

export function playSoftSound(): void {
  if (!("AudioContext" in window)) return;
  context ??= new AudioContext();
  void context.resume();
  for (const [at, frequency] of NOTES.entries()) {
    playNote(context, frequency, context.currentTime + at * NOTE_SECONDS * 0.7);
  }
}

/** It swells and fades: a note that begins or ends at once clicks. */
function playNote(audio: AudioContext, frequency: number, begin: number): void {
  const tone = new OscillatorNode(audio, { type: "sine", frequency });
  const loudness = new GainNode(audio, { gain: 0 });
  loudness.gain.setValueAtTime(0, begin);
  loudness.gain.linearRampToValueAtTime(LOUDNESS, begin + 0.02);
  loudness.gain.exponentialRampToValueAtTime(0.0001, begin + NOTE_SECONDS);
  tone.connect(loudness).connect(audio.destination);
  tone.start(begin);
  tone.stop(begin + NOTE_SECONDS);
}
