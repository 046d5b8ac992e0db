import poise, numpy as np, time, sys
from poise.methods import adaptation as A
from poise import constraints as c
from poise.kinematics import Kinematics
clip=poise.load('/work/shared/data/cmu_cgspeed_bvh/02_01.bvh',drop_tpose=True)
ch=clip.character
plants=A.detect(clip)
for p in plants: print(p.name,{k:str(v) for k,v in p.intervals.items()})
k=Kinematics(ch,clip.q)
JOINTS=[n for n in ch.names if n not in ('LHipJoint','RHipJoint','LeftFingerBase','LeftHandIndex1','LThumb','RightFingerBase','RightHandIndex1','RThumb')]
f=171; hand=k.point('RightHand')[f]+np.array([0.35,0,0.15])*1.0
pin=c.pin('RightHand',hand,float(clip.times[f]))
def show(r,full=True):
    print([ (d.steps,d.factorisations,d.reason,round(d.merit,4)) for d in r.descents], 'sec',round(r.seconds,3))
    if not full: return
    kk=Kinematics(ch,r.clip.q)
    es=[]
    for p in plants:
        for q in p.pins(ch):
            t=q.when.times(r.clip); fr=np.rint(t*clip.fps).astype(int)
            es.append(np.linalg.norm(kk.point(q.handle.point)[fr]-q.target.at(t),axis=1))
    e=np.concatenate(es); print('plants rms %.3f mm max %.3f mm'%(1e3*np.sqrt((e**2).mean()),1e3*e.max()), 'hand %.3f mm'%(1e3*np.linalg.norm(kk.point('RightHand')[f]-hand)))
    from poise.methods.adaptation.requirements import floor_points
    for p in floor_points(ch):
        lo=np.percentile(k.point(p)[:,2],1); print('floor',p,'%.3f mm'%(1e3*max(0,lo-kk.point(p)[:,2].min())))
    print('body moved mean %.2f cm'%(100*np.linalg.norm(kk.positions-k.positions,axis=2).mean()), 'max turn', np.abs(r.displacement[0].evaluate(clip.times)).max())
if __name__=='__main__':
    for n in range(4):
        t=time.perf_counter(); r=A.adapt(clip,[*plants,pin],floor=True,joints=JOINTS,exact=True); dt=time.perf_counter()-t
        show(r, n==0)
        print(r.setup.problem.stages[0].space.size)
    print(r.descents[0].history, r.descents[1].history)
